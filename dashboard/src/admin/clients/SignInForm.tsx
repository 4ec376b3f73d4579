import { Alert, Checkbox, Radio, Stack, Text, Textarea } from '@mantine/core'
import { GRANT_TYPES, needsSecret } from '../../../../src/oauth/clients/grant-types.ts'
import { hasCode } from '../../api/failure.ts'
import type { Client } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { pkceState } from './client-kind.ts'
import { ClientForm, useClientForm } from './ClientForm.tsx'
import { PkceForbidden } from './Pkce.tsx'

const words = (text: string) => text.split(/\s+/).filter(Boolean)

type Props = { application: Client; mayWrite: boolean }

/** How people come to the application and back. */
export function SignInForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').signIn
  const clients = useTexts('admin').clients
  const isPublic = application.clientType === 'public'
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: {
      redirectUris: application.redirect_uris.join('\n'),
      postLogoutRedirectUris: application.post_logout_redirect_uris.join('\n'),
      grantTypes: application.grantTypes,
      pkce: application.pkce,
      consent: application.consent === 'skip',
    },
    changes: ({ redirectUris, postLogoutRedirectUris, grantTypes, pkce, consent }) => ({
      redirectUris: words(redirectUris),
      postLogoutRedirectUris: words(postLogoutRedirectUris),
      grantTypes: GRANT_TYPES.filter((each) => grantTypes.includes(each)),
      pkce,
      consent: consent ? 'skip' : 'ask',
    }),
  })
  const isForbidden = form.values.pkce === 'optional' && hasCode(form.failure, 'conflict')
  const lines = (name: 'redirectUris' | 'postLogoutRedirectUris') => ({
    size: 'md' as const,
    autosize: true,
    minRows: 1,
    ...form.getInputProps(name),
  })

  return (
    <ClientForm title={texts.title} form={isForbidden ? { ...form, unplaced: undefined } : form} mayWrite={mayWrite}>
      <Textarea label={clients.redirectUris} description={clients.redirectUrisHint} {...lines('redirectUris')} />
      <Textarea
        label={clients.postLogoutRedirectUris}
        description={clients.postLogoutRedirectUrisHint}
        {...lines('postLogoutRedirectUris')}
      />
      <Checkbox.Group label={texts.grantTypes} {...form.getInputProps('grantTypes')}>
        <Stack gap="xs" mt={6} mb={4}>
          {GRANT_TYPES.filter((each) => !isPublic || !needsSecret(each)).map((each) => (
            <Checkbox key={each} value={each} label={texts.grants[each]} disabled={!mayWrite} />
          ))}
        </Stack>
      </Checkbox.Group>
      {!isPublic && (
        <>
          <Radio.Group label="PKCE" description={texts.pkceHint} {...form.getInputProps('pkce')}>
            <Stack gap="xs" mt={6}>
              {(['required', 'optional'] as const).map((each) => (
                <Radio
                  key={each}
                  value={each}
                  label={texts.pkce[each]}
                  description={texts.pkceTexts[each]}
                  disabled={!mayWrite}
                />
              ))}
            </Stack>
          </Radio.Group>
          {isForbidden && <PkceForbidden />}
          <PkceUse application={application} />
        </>
      )}
      <Checkbox
        label={texts.skipConsent}
        description={texts.skipConsentHint}
        {...form.getInputProps('consent', { type: 'checkbox' })}
      />
    </ClientForm>
  )
}

/** Whether the application has used its exception from PKCE, and a hint when the exception can go. */
function PkceUse({ application }: { application: Client }) {
  const texts = useTexts('applications').signIn
  const { never } = useTexts('shared')
  const format = useFormat()
  const state = pkceState(application)
  if (state === 'required') return null
  const when = (at: number | null) => (at === null ? never : format.dateTime(at))
  return (
    <Alert role="note" color={state === 'unused' ? 'pine' : 'brass'} variant="light" icon={<Icon name="shield" />}>
      {state === 'unused' && (
        <Text size="sm" fw={550} mb={4}>
          {texts.pkceUnused}
        </Text>
      )}
      <Text size="sm">
        {texts.lastMissing}: {when(application.pkceLastMissingAt)}
        <br />
        {texts.lastSent}: {when(application.pkceLastSentAt)}
      </Text>
    </Alert>
  )
}
