import { Button, Group, type ModalProps, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Dialog } from './Dialog.tsx'
import { FailureAlert } from './FailureAlert.tsx'
import { Form, type SubmitForm, useSubmitForm } from './Form.tsx'

type Props = {
  title: string
  /** Its `onSuccess` closes the dialog. */
  form: Pick<SubmitForm, 'busy' | 'unplaced' | 'hasInput' | 'element' | 'browserChecks' | 'send'>
  /** The label of the button that sends the form, or what stands in its place. */
  submit: ReactNode
  size?: ModalProps['size']
  disabled?: boolean
  /** For an action that can't be undone, or that takes something away from somebody. */
  danger?: boolean
  onClose: () => void
  /** What stands in the place of the button that cancels; null for nothing. */
  back?: { label: string; go: () => void } | null
  children: ReactNode
}

/** A form in a dialog, which shows why its action failed. */
export function FormDialog({
  title,
  form,
  submit,
  size = 'md',
  disabled = false,
  danger = false,
  onClose,
  back,
  children,
}: Props) {
  const { cancel } = useTexts('shared')
  const { label, go } = back ?? { label: cancel, go: onClose }
  return (
    <Dialog onClose={onClose} title={title} size={size} hasInput={form.hasInput}>
      <Form form={form}>
        <Stack>
          {children}
          <FailureAlert failure={form.unplaced} />
          <Group justify="flex-end" gap="sm">
            {back !== null && (
              <Button variant="default" onClick={go}>
                {label}
              </Button>
            )}
            {typeof submit === 'string' ? (
              <Button type="submit" color={danger ? 'red.8' : 'pine'} loading={form.busy} disabled={disabled}>
                {submit}
              </Button>
            ) : (
              submit
            )}
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
  /** Whether the dialog says already all that has to be known. */
  isReady?: boolean
  safe?: boolean
  action: () => Promise<unknown>
  onClose: () => void
}

export function ConfirmDialog({
  title,
  children,
  confirm,
  typed,
  isReady = true,
  safe = false,
  action,
  onClose,
}: ConfirmDialogProps) {
  const form = useSubmitForm({
    initialValues: { typed: '' },
    submit: action,
    onSuccess: onClose,
    isDisposable: true,
  })
  return (
    <FormDialog
      title={title}
      form={form}
      submit={confirm}
      danger={!safe}
      disabled={!isReady || (typed !== undefined && form.values.typed.trim() !== typed.value)}
      onClose={onClose}
    >
      <Text component="div" size="sm">
        {children}
      </Text>
      {typed && <TextInput label={typed.label} autoComplete="off" data-autofocus {...form.getInputProps('typed')} />}
    </FormDialog>
  )
}
