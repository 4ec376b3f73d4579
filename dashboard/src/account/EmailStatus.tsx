import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { SavedNote } from '../ui/SavedNote.tsx'
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx'

export function EmailStatus({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const [isChanging, setChanging] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const resend = useMutation({ mutationFn: () => answer(api.POST('/api/auth/verify-email/resend')) })
  const sent = sentTo === undefined ? undefined : texts.changeEmailSent(sentTo)
  const note = sent ?? (resend.isSuccess ? texts.resent : undefined)
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
          <Button variant="default" size="sm" loading={resend.isPending} onClick={() => resend.mutate()}>
            {texts.resend}
          </Button>
        </Group>
      )}
      <SavedNote shown={note !== undefined}>{note ?? ''}</SavedNote>
      <FailureAlert failure={resend.error} />
    </Stack>
  )
}
