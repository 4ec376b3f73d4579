import { Button, Group, Modal, Stack, type ModalProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from './FailureAlert.tsx'

type Props = {
  title: string
  submit: string
  size?: ModalProps['size']
  disabled?: boolean
  /** For an action that can't be undone, or that takes something away from somebody. */
  danger?: boolean
  action: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog: closes when its action succeeds, shows why when it does not. */
export function FormDialog({
  title,
  submit,
  size,
  disabled = false,
  danger = false,
  action,
  onClose,
  children,
}: Props) {
  const { cancel, close } = useTexts('shared')
  const run = useMutation({ mutationFn: action, onSuccess: onClose })
  return (
    <Modal opened onClose={onClose} title={title} size={size ?? 'md'} closeButtonProps={{ 'aria-label': close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate()
        }}
      >
        <Stack>
          {children}
          <FailureAlert failure={run.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {cancel}
            </Button>
            <Button type="submit" color={danger ? 'red.8' : 'pine'} loading={run.isPending} disabled={disabled}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
