import { Group, Text } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

/** Screen readers announce it, because nothing else on the page changes when something was saved. */
export function SavedNote({ shown, children }: { shown: boolean; children?: string }) {
  const { saved } = useTexts('shared')
  return (
    <Group role="status" gap={6} mih={24} c="light-dark(var(--mantine-color-pine-8), var(--mantine-color-pine-3))">
      {shown && (
        <>
          <Icon name="check" size={16} />
          <Text size="sm">{children ?? saved}</Text>
        </>
      )}
    </Group>
  )
}
