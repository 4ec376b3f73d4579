import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Certificate } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'

type Props = { certificate: Certificate; onClose: () => void; onDone: () => Promise<unknown> }

export function RevokeDialog({ certificate, onClose, onDone }: Props) {
  const texts = useTexts('admin').certificates
  const [reason, setReason] = useState('')
  const revoke = async () => {
    const params = { path: { id: certificate.id } }
    await answer(
      api.POST('/api/ssh/certs/{id}/revoke', { params, body: reason.trim() ? { reason: reason.trim() } : {} }),
    )
    await onDone()
  }
  return (
    <FormDialog
      title={texts.revokeTitle(certificate.serial)}
      submit={texts.revoke}
      danger
      action={revoke}
      onClose={onClose}
    >
      <Text size="sm">{texts.revokeText}</Text>
      <TextInput
        label={texts.reason}
        description={texts.reasonHint}
        data-autofocus
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
