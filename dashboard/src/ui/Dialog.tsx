import { Alert, Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { useUnsavedChanges } from '../lib/unsaved-changes.ts'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon, type IconName } from './Icon.tsx'

type Props = Omit<ModalProps, 'opened' | 'title' | 'onClose'> & {
  title: string
  onClose: () => void
  /** While what was entered is being saved, or after that. */
  saved?: boolean
  children: ReactNode
}

/**
 * The dialog that all others are made of. It is mounted while it is open. Once something was entered, Escape and a click
 * beside it ask before that is lost.
 */
export function Dialog({ title, onClose, saved = false, children, ...others }: Props) {
  const texts = useTexts('shared')
  const { unsaved } = useTexts('account')
  const [hasInput, setHasInput] = useState(false)
  const [isAsking, setAsking] = useState(false)
  useReturnFocus()
  useUnsavedChanges(hasInput && !saved)
  // An option of a list is chosen by a click, which is no input event.
  const noteChoice = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('[role="option"]')) setHasInput(true)
  }
  return (
    <Modal
      opened
      onClose={() => (hasInput && !saved ? setAsking(true) : onClose())}
      title={title}
      closeButtonProps={{ 'aria-label': texts.close }}
      {...others}
    >
      <div onInput={() => setHasInput(true)} onClickCapture={noteChoice}>
        {children}
      </div>
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
