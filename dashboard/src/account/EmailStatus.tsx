import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { SavedNote } from '../ui/SaveButton.tsx'
import { OwnerProofField } from './owner-proof.tsx'

export function EmailStatus({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const [isChanging, setChanging] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const resend = useSubmit(() => answer(api.POST('/api/auth/verify-email/resend')))
  const sent = sentTo === undefined ? undefined : texts.changeEmailSent(sentTo)
  const note = sent ?? (resend.isDone ? texts.resent : undefined)
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
          {profile.email}
        </Text>
        <Badge color={profile.email_verified ? 'pine' : 'brass'} variant="light">
          {profile.email_verified ? texts.verified : texts.unverified}
        </Badge>
        <Button variant="default" size="xs" onClick={() => setChanging(true)}>
          {texts.changeEmail}
        </Button>
      </Group>
      {isChanging && <ChangeEmailDialog onClose={() => setChanging(false)} onSent={setSentTo} />}
      {!profile.email_verified && (
        <Group>
          <Button variant="default" size="sm" loading={resend.busy} onClick={() => resend.run()}>
            {texts.resend}
          </Button>
        </Group>
      )}
      <SavedNote shown={note !== undefined}>{note ?? ''}</SavedNote>
      <FailureAlert failure={resend.failure} />
    </Stack>
  )
}

type ChangeEmailDialogProps = { onClose: () => void; onSent: (email: string) => void }

function ChangeEmailDialog({ onClose, onSent }: ChangeEmailDialogProps) {
  const texts = useTexts('account').profile
  const form = useSubmitForm({
    initialValues: { email: '', currentPassword: '' },
    async submit({ email, currentPassword }) {
      const body = { email: email.trim(), ...(currentPassword ? { currentPassword } : {}) }
      await answer(api.POST('/api/account/email', { body }))
      onSent(body.email)
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={texts.changeEmail} form={form} submit={texts.changeEmail} onClose={onClose}>
      <Text size="sm">{texts.changeEmailHint}</Text>
      <TextInput
        label={texts.newEmail}
        type="email"
        autoComplete="email"
        data-autofocus
        required
        withAsterisk={false}
        {...form.getInputProps('email')}
      />
      <OwnerProofField {...form.getInputProps('currentPassword')} />
    </FormDialog>
  )
}
