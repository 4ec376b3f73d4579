import { Button, Group, type ModalProps, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Dialog } from './Dialog.tsx'
import { FailureAlert } from './FailureAlert.tsx'
import { Form } from './Form.tsx'

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
  const { cancel } = useTexts('shared')
  const run = useMutation({ mutationFn: action, onSuccess: onClose })
  return (
    <Dialog onClose={onClose} title={title} size={size ?? 'md'} saved={run.isPending || run.isSuccess}>
      <Form failure={run.error} onSubmit={() => run.mutate()}>
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
      </Form>
    </Dialog>
  )
}

type ConfirmDialogProps = {
  title: string
  children: ReactNode
  confirm: string
  /** What the user has to type first, for an action that can't be undone. */
  typed?: { label: string; value: string }
  safe?: boolean
  action: () => Promise<unknown>
  onClose: () => void
}

export function ConfirmDialog({ title, children, confirm, typed, safe = false, action, onClose }: ConfirmDialogProps) {
  const texts = useTexts('shared')
  const [typedNow, setTypedNow] = useState('')
  const run = useMutation({ mutationFn: action, onSuccess: onClose })
  return (
    <Dialog onClose={onClose} title={title} saved>
      <Form failure={run.error} onSubmit={() => run.mutate()}>
        <Stack>
          <Text component="div" size="sm">
            {children}
          </Text>
          {typed && (
            <TextInput
              label={typed.label}
              autoComplete="off"
              data-autofocus
              value={typedNow}
              onChange={(event) => setTypedNow(event.currentTarget.value)}
            />
          )}
          <FailureAlert failure={run.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button
              type="submit"
              color={safe ? 'pine' : 'red.8'}
              loading={run.isPending}
              disabled={typed !== undefined && typedNow.trim() !== typed.value}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Dialog>
  )
}
