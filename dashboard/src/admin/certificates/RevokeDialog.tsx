import { Text, TextInput } from '@mantine/core'
import { answer, api } from '../../api/client.ts'
import type { Certificate } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'

type Props = { certificate: Certificate; onClose: () => void; onDone: () => Promise<unknown> }

export function RevokeDialog({ certificate, onClose, onDone }: Props) {
  const texts = useTexts('admin').certificates
  const form = useSubmitForm({
    initialValues: { reason: '' },
    async submit({ reason }) {
      const params = { path: { id: certificate.id } }
      const body = reason.trim() ? { reason: reason.trim() } : {}
      await answer(api.POST('/api/ssh/certs/{id}/revoke', { params, body }))
      await onDone()
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={texts.revokeTitle(certificate.serial)}
      form={form}
      submit={texts.revoke}
      danger
      onClose={onClose}
    >
      <Text size="sm">{texts.revokeText}</Text>
      <TextInput
        label={texts.reason}
        description={texts.reasonHint}
        data-autofocus
        maxLength={500}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  )
}
