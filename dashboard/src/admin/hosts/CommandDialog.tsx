import { Alert, Button, Group, Stack } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'

export type Enrollment = { name: string; command: string }

/** Closed only by its button: a stray click must not lose what can't be shown again. */
export function CommandDialog({ enrollment, onClose }: { enrollment: Enrollment; onClose: () => void }) {
  const texts = useTexts('admin').hosts
  return (
    <Dialog
      onClose={onClose}
      title={enrollment.name}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="brass" variant="light" title={texts.commandTitle} icon={<Icon name="terminal" />}>
          {texts.commandText}
        </Alert>
        <CodeBlock label={texts.command} value={enrollment.command} wrap />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {texts.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
