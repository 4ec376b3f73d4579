import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from './Dialog.tsx'
import { Icon, type IconName } from './Icon.tsx'

type Props = {
  title: string
  /** That it is shown only this once. */
  warning: { icon: IconName; title: string; text: string } | undefined
  /** The label of the button. */
  done: string
  onClose: () => void
  children: ReactNode
}

/** Closed only by its button: a stray click must not lose what can't be shown again. */
export function ShownOnceDialog({ title, warning, done, onClose, children }: Props) {
  return (
    <Dialog
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        {warning && (
          <Alert color="brass" variant="light" title={warning.title} icon={<Icon name={warning.icon} />}>
            {warning.text}
          </Alert>
        )}
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
