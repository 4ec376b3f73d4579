import { Alert, Button, Divider, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { appearance } from '../lib/appearance.ts'
import { acceptWithPasskey } from '../lib/create-passkey.ts'
import { useFailure, useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'

// Browsers do not send this part of the address to the server, and applications that are opened from here do not see it.
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

type Invitation = { email: string; invitedBy: string | null }

const nameIn = (displayName: string) => (displayName.trim() ? { displayName: displayName.trim() } : {})

/** Where an invited person chooses a name, and a passkey or a password. */
export default function InvitationPage() {
  const texts = useTexts('publicPages')
  const [invitation, setInvitation] = useState<Invitation>()
  const [unusable, setUnusable] = useFailure()

  useEffect(() => {
    if (token) void answer(api.POST('/api/auth/invitation', { body: { token } })).then(setInvitation, setUnusable)
  }, [setUnusable])

  const goOn = ({ user }: { user: { id: string } }) => {
    tellTabs({ kind: 'signed-in', userId: user.id })
    location.replace(paths.home)
  }
  const form = useSubmitForm({
    initialValues: { displayName: '', password: '' },
    submit: async ({ displayName, password }) =>
      goOn(
        await answer(api.POST('/api/auth/invitation/accept', { body: { token, password, ...nameIn(displayName) } })),
      ),
  })
  const { displayName } = form.values
  const byPasskey = useSubmit(async () => goOn(await acceptWithPasskey({ token, ...nameIn(displayName) })))

  if (!token || unusable) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.invitation.unusableTitle}>{!token && texts.invitation.noToken}</PublicHeading>
        <FailureAlert failure={unusable} />
      </Stack>
    )
  }
  if (!invitation) return <Skeleton h={240} />
  const { email, invitedBy } = invitation
  const title =
    invitedBy === null
      ? texts.invitation.title(appearance().name)
      : texts.invitation.titleBy(invitedBy, appearance().name)
  return (
    <Stack gap="lg">
      <PublicHeading title={title}>{texts.invitation.text(email)}</PublicHeading>
      <Form form={form}>
        <Stack>
          <TextInput
            label={texts.displayName}
            description={texts.displayNameHint}
            autoComplete="name"
            autoFocus
            maxLength={100}
            {...form.getInputProps('displayName')}
          />
          <Alert color="gray" variant="light">
            <Stack gap="sm">
              <Text size="sm">{texts.setup.passkeyText}</Text>
              <Button size="md" fullWidth loading={byPasskey.busy} disabled={form.busy} onClick={() => byPasskey.run()}>
                {texts.invitation.passkey}
              </Button>
            </Stack>
          </Alert>
          <Divider label={texts.or} />
          <input type="hidden" name="username" autoComplete="username" value={email} />
          <NewPasswordInput
            label={texts.password}
            person={{ email, displayName }}
            {...form.getInputProps('password')}
          />
          <FailureAlert failure={form.unplaced ?? byPasskey.failure} />
          <Button type="submit" size="md" variant="light" fullWidth loading={form.busy} disabled={byPasskey.busy}>
            {texts.invitation.password}
          </Button>
        </Stack>
      </Form>
    </Stack>
  )
}
