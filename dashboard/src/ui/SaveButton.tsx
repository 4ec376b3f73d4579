import { Button, Group, Text } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import type { SubmitForm } from './Form.tsx'
import { Icon } from './Icon.tsx'

type Props = { form: Pick<SubmitForm, 'busy' | 'isSaved'>; disabled?: boolean }

/** Submits a form, and shows when it was saved. */
export function SaveButton({ form, disabled = false }: Props) {
  const texts = useTexts('shared')
  return (
    <Group>
      <Button type="submit" loading={form.busy} disabled={disabled}>
        {texts.save}
      </Button>
      <SavedNote shown={form.isSaved} />
    </Group>
  )
}

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
