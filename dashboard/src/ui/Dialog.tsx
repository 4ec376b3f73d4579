import { Alert, Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon, type IconName } from './Icon.tsx'

type Props = Omit<ModalProps, 'opened' | 'title' | 'onClose'> & {
  title: string
  onClose: () => void
  /** Whether something was entered that would be lost. Escape and a click beside the dialog ask first. */
  hasInput?: boolean
  children: ReactNode
}

/** The dialog that all others are made of. It is mounted while it is open. */
export function Dialog({ title, onClose, hasInput = false, children, ...others }: Props) {
  const texts = useTexts('shared')
  const { unsaved } = useTexts('account')
  const [isAsking, setAsking] = useState(false)
  useReturnFocus()
  return (
    <Modal
      opened
      onClose={() => (hasInput ? setAsking(true) : onClose())}
      title={title}
      closeButtonProps={{ 'aria-label': texts.close }}
      {...others}
    >
      {children}
      {isAsking && (
        <Alert role="alert" color="brass" variant="light" mt="md">
          <Text size="sm">{unsaved.inDialog}</Text>
          <Group gap="xs" mt="xs">
            <Button size="xs" variant="default" autoFocus onClick={() => setAsking(false)}>
              {unsaved.stay}
            </Button>
            <Button size="xs" color="red.8" onClick={onClose}>
              {unsaved.discard}
            </Button>
          </Group>
        </Alert>
      )}
    </Modal>
  )
}

type ShownOnceDialogProps = {
  title: string
  /** That it is shown only this once. */
  warning: { icon: IconName; title: string; text: string } | undefined
  /** The label of the button. */
  done: string
  onClose: () => void
  children: ReactNode
}

/** Closed only by its button: a stray click must not lose what can't be shown again. */
export function ShownOnceDialog({ title, warning, done, onClose, children }: ShownOnceDialogProps) {
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
