import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { OwnerProofField } from './OwnerProofField.tsx'
import { withOwnerProof } from './with-owner-proof.ts'

type Props = { onClose: () => void; onSent: (email: string) => void }

export function ChangeEmailDialog({ onClose, onSent }: Props) {
  const texts = useTexts('account').profile
  const [email, setEmail] = useState('')
  const [currentPassword, setCurrentPassword] = useState('')
  const send = async () => {
    const body = { email: email.trim(), ...(currentPassword ? { currentPassword } : {}) }
    await withOwnerProof(() => answer(api.POST('/api/account/email', { body })))
    onSent(body.email)
  }
  return (
    <FormDialog title={texts.changeEmail} submit={texts.changeEmail} action={send} onClose={onClose}>
      <Text size="sm">{texts.changeEmailHint}</Text>
      <Field name="email">
        <TextInput
          label={texts.newEmail}
          type="email"
          autoComplete="email"
          data-autofocus
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <OwnerProofField value={currentPassword} onChange={setCurrentPassword} />
    </FormDialog>
  )
}
