import { Alert, Anchor, Button, Checkbox, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus, type ApiFailure } from '../api/failure.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { signInWithPasskey, type SignedIn } from '../lib/passkey-ceremonies.ts'
import { safeReturnTo } from '../lib/return-to.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { endpoints, paths } from '../paths.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Icon } from '../ui/Icon.tsx'
import { usePasskeyAutofill } from './use-passkey-autofill.ts'

const query = new URLSearchParams(location.search)
const returnTo = safeReturnTo(query.get('return_to'))
const toApplication = returnTo.startsWith(endpoints.authorize)
// OpenID Connect Core 3.1.2.1: the application may know already who is about to sign in.
const loginHint = toApplication ? (new URL(returnTo, location.origin).searchParams.get('login_hint') ?? '') : ''

// A full page load, because the signed-in part is another application and authorize is the server's own.
function goOn({ id }: SignedIn): void {
  tellTabs({ kind: 'signed-in', userId: id })
  location.replace(returnTo)
}

export default function LoginPage() {
  const texts = useTexts('entrance')
  const shared = useTexts('shared')
  const [email, setEmail] = useState(loginHint)
  const [password, setPassword] = useState('')
  const [rememberMe, setRememberMe] = useState(false)

  const autofill = usePasskeyAutofill(goOn)
  const byPassword = useSubmit(async () => {
    const { user } = await answer(api.POST('/api/auth/login', { body: { email, password, rememberMe } }))
    goOn(user)
  })
  const byPasskey = useSubmit(async () => {
    try {
      goOn(await signInWithPasskey())
    } catch (error) {
      autofill.restart()
      throw error
    }
  })
  // The specification gives this one refusal a sentence and no code.
  const disabled = (error: unknown): error is ApiFailure => isStatus(error, 403) && error.code === undefined
  const failure = byPassword.failure ?? byPasskey.failure ?? autofill.failure
  const keep = query.get('return_to') ? `?${new URLSearchParams({ return_to: returnTo })}` : ''

  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.login.title}>{toApplication && texts.login.toApplication}</EntranceHeading>
      {disabled(failure) ? (
        <Alert role="alert" color="brass" variant="light" title={texts.login.disabledTitle} icon={<Icon name="lock" />}>
          <Text size="sm">{failure.message}</Text>
          <Text size="sm">{texts.login.disabledHint}</Text>
        </Alert>
      ) : (
        <FailureAlert failure={failure} />
      )}
      <form onSubmit={byPassword.onSubmit}>
        <Stack>
          <TextInput
            label={texts.email}
            type="email"
            name="email"
            autoComplete="username webauthn"
            autoFocus
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={texts.password}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': shared.showPassword }}
          />
          <Checkbox
            label={texts.login.rememberMe}
            checked={rememberMe}
            onChange={(event) => setRememberMe(event.currentTarget.checked)}
          />
          <Button type="submit" size="md" fullWidth loading={byPassword.busy}>
            {texts.login.submit}
          </Button>
        </Stack>
      </form>
      <Divider label={texts.or} labelPosition="center" />
      <Button
        size="md"
        variant="default"
        fullWidth
        loading={byPasskey.busy}
        leftSection={<Icon name="fingerprint" />}
        onClick={() => byPasskey.run()}
      >
        {texts.login.passkey}
      </Button>
      <Stack gap={6} align="center">
        <Anchor size="sm" href={paths.forgotPassword}>
          {texts.login.forgot}
        </Anchor>
        <Text size="sm" c="dimmed">
          {texts.login.noAccount}{' '}
          <Anchor size="sm" href={paths.register + keep} underline="always">
            {texts.login.register}
          </Anchor>
        </Text>
      </Stack>
    </Stack>
  )
}
