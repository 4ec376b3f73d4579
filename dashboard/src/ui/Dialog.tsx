import { Alert, Button, Group, Modal, Text, type ModalProps } from '@mantine/core'
import { useState, type MouseEvent, type ReactNode } from 'react'
import { useUnsavedChanges } from '../lib/unsaved-changes.ts'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

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
