import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { addPasskey } from '../lib/passkey-ceremonies.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Icon } from '../ui/Icon.tsx'
import { NewAccountFields, register, useNewAccount } from './NewAccountFields.tsx'
import { SetupSteps } from './SetupSteps.tsx'

// The secret is in the fragment of the URL, which is never sent to a server. It stays there until it was used, so that a
// reload does not lose it.
const secretInAddress = () => new URLSearchParams(location.hash.slice(1)).get('secret')

type Step = 'account' | 'elevate' | 'passkey'

export default function SetupPage() {
  const texts = useTexts('entrance')
  const { showPassword: showSecret } = useTexts('shared')
  const account = useNewAccount()
  const [linked] = useState(secretInAddress)
  const [typed, setTyped] = useState('')
  const [step, setStep] = useState<Step>('account')
  const [signedInAs, setSignedInAs] = useState<string>()

  useEffect(() => {
    // Somebody who reloads between the two requests has an account already and only lacks the role.
    void answer(api.GET('/api/auth/me')).then(
      ({ user }) => {
        setSignedInAs(user.email)
        setStep((now) => (now === 'account' ? 'elevate' : now))
      },
      () => undefined,
    )
  }, [])

  const elevation = useSubmit(async () => {
    if (step === 'account') {
      await register(account.value)
      setSignedInAs(account.value.email)
      setStep('elevate')
    }
    await answer(api.POST('/api/admin/bootstrap', { body: { secret: linked ?? typed } }))
    history.replaceState(null, '', paths.setup)
    setStep('passkey')
  })

  if (isStatus(elevation.failure, 409) && step === 'elevate') {
    return (
      <Stack gap="lg">
        <EntranceHeading title={texts.setup.alreadyTitle}>{elevation.failure.message}</EntranceHeading>
        <Button component="a" href={paths.login}>
          {texts.setup.toLogin}
        </Button>
      </Stack>
    )
  }
  if (step === 'passkey') return <PasskeyStep />
  return (
    <Stack gap="lg">
      <SetupSteps current={step === 'account' ? 1 : 2} />
      <EntranceHeading title={texts.setup.title}>{step === 'account' && texts.setup.accountText}</EntranceHeading>
      <FailureAlert failure={elevation.failure} />
      <form onSubmit={elevation.onSubmit}>
        <Stack>
          {step === 'account' ? (
            <NewAccountFields {...account} />
          ) : (
            <Text>{texts.setup.signedIn(signedInAs ?? '')}</Text>
          )}
          {linked === null && (
            <PasswordInput
              label={texts.setup.secret}
              description={texts.setup.secretHint}
              autoComplete="off"
              required
              withAsterisk={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': showSecret }}
            />
          )}
          <Button type="submit" size="md" fullWidth loading={elevation.busy}>
            {step === 'account' ? texts.setup.accountSubmit : texts.setup.elevate}
          </Button>
        </Stack>
      </form>
    </Stack>
  )
}

function PasskeyStep() {
  const texts = useTexts('entrance')
  const passkey = useSubmit(async () => {
    await addPasskey()
    location.replace(paths.home)
  })
  return (
    <Stack gap="lg">
      <SetupSteps current={3} />
      <EntranceHeading title={texts.setup.passkeyTitle}>{texts.setup.passkeyText}</EntranceHeading>
      <FailureAlert failure={passkey.failure} />
      <Button
        size="md"
        autoFocus
        loading={passkey.busy}
        leftSection={<Icon name="fingerprint" />}
        onClick={() => passkey.run()}
      >
        {texts.setup.passkeySubmit}
      </Button>
      <Group justify="center">
        <Button variant="subtle" component="a" href={paths.home}>
          {texts.setup.skip}
        </Button>
      </Group>
    </Stack>
  )
}
