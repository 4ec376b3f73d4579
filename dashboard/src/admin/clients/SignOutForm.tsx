import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ClientForm, useClientForm } from './ClientForm.tsx'
import { LogoutAnswers } from './TellingSection.tsx'

type Props = { application: Client; mayWrite: boolean }

/** How the application learns that somebody's access has ended, and what ends with a session. */
export function SignOutForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').signOut
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: {
      backchannelLogoutUri: application.backchannelLogoutUri ?? '',
      backchannelLogoutSessionRequired: application.backchannelLogoutSessionRequired,
      sessionExpiry: application.sessionExpiry,
      refreshTokens: application.refreshTokens,
    },
    changes: ({ backchannelLogoutUri, ...others }) => ({
      ...others,
      backchannelLogoutUri: backchannelLogoutUri.trim() || null,
    }),
  })
  return (
    <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
      <TextInput
        label={texts.logoutUri}
        description={texts.logoutUriHint}
        placeholder="https://app.example.com/backchannel-logout"
        maxLength={2048}
        {...form.getInputProps('backchannelLogoutUri')}
      />
      <LogoutAnswers application={application} />
      <Checkbox
        label={texts.sessionRequired}
        description={texts.sessionRequiredHint}
        {...form.getInputProps('backchannelLogoutSessionRequired', { type: 'checkbox' })}
      />
      <Checkbox
        label={texts.sessionExpiry}
        description={texts.sessionExpiryHint}
        {...form.getInputProps('sessionExpiry', { type: 'checkbox' })}
      />
      <Radio.Group label={texts.refreshTokens} {...form.getInputProps('refreshTokens')}>
        <Stack gap="xs" mt={6}>
          {(['offline', 'session'] as const).map((each) => (
            <Radio
              key={each}
              value={each}
              label={texts.refresh[each]}
              description={texts.refreshHints[each]}
              disabled={!mayWrite}
            />
          ))}
        </Stack>
      </Radio.Group>
    </ClientForm>
  )
}
