import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { discardUnsavedChanges, hasUnsavedChanges } from '../lib/unsaved-changes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

/** Asks before a page with unsaved input is left, by a link, by going back, or by closing the tab. */
export function UnsavedChangesDialog() {
  const texts = useTexts('account').unsaved
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasUnsavedChanges() &&
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)),
    enableBeforeUnload: hasUnsavedChanges,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const leave = () => {
    discardUnsavedChanges()
    blocker.proceed()
  }
  return (
    <Modal opened onClose={blocker.reset} title={texts.title} withCloseButton={false} zIndex={300}>
      <Stack>
        <Text size="sm">{texts.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button data-autofocus variant="default" onClick={blocker.reset}>
            {texts.stay}
          </Button>
          <Button color="red.8" onClick={leave}>
            {texts.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
