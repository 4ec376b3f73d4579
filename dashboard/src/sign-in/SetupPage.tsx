import { Box, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import { appearance } from '../lib/appearance.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NEW_ACCOUNT, NewAccountFields, PasskeyOffer, register } from './new-account.tsx'

// The secret is in the fragment of the URL, which is never sent to a server. It stays there until it was used, so that a
// reload does not lose it.
const secretInAddress = () => new URLSearchParams(location.hash.slice(1)).get('secret')

type Step = 'account' | 'elevate' | 'passkey'

export default function SetupPage() {
  const texts = useTexts('publicPages')
  const { showPassword: showSecret } = useTexts('shared')
  const [linked] = useState(secretInAddress)
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

  const form = useSubmitForm({
    initialValues: { ...NEW_ACCOUNT, secret: '' },
    async submit({ secret, ...account }) {
      if (step === 'account') {
        await register(account)
        setSignedInAs(account.email)
        setStep('elevate')
      }
      await answer(api.POST('/api/admin/bootstrap', { body: { secret: linked ?? secret, freshSignIn: true } }))
      history.replaceState(null, '', paths.setup)
      setStep('passkey')
    },
  })

  // Whether there was an administrator when the page was opened, or somebody else was quicker.
  if (appearance().isSetUp || (isStatus(form.failure, 409) && step === 'elevate')) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.setup.alreadyTitle(appearance().name)}>{texts.setup.already}</PublicHeading>
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
      <PublicHeading title={texts.setup.title(appearance().name)}>
        {step === 'account' && texts.setup.accountText}
      </PublicHeading>
      <Form form={form}>
        <Stack>
          {step === 'account' ? (
            <NewAccountFields form={form} />
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
              visibilityToggleButtonProps={{ 'aria-label': showSecret }}
              {...form.getInputProps('secret')}
            />
          )}
          <FailureAlert failure={form.unplaced} />
          <Button type="submit" size="md" fullWidth loading={form.busy}>
            {step === 'account' ? texts.setup.accountSubmit : texts.setup.elevate}
          </Button>
        </Stack>
      </Form>
    </Stack>
  )
}

function PasskeyStep() {
  const texts = useTexts('publicPages').setup
  return (
    <Stack gap="lg">
      <SetupSteps current={3} />
      <PublicHeading title={texts.passkeyTitle}>{texts.passkeyText}</PublicHeading>
      <PasskeyOffer to={paths.home} />
    </Stack>
  )
}

export function SetupSteps({ current }: { current: 1 | 2 | 3 }) {
  const texts = useTexts('publicPages').setup
  return (
    <Group gap={6} grow role="img" aria-label={texts.stepOf(current, texts.steps.length)}>
      {texts.steps.map((name, index) => (
        <Box key={name}>
          <Box h={4} mb={6} bg={index < current ? 'pine.7' : 'var(--latchkey-line)'} style={{ borderRadius: 2 }} />
          <Text size="xs" {...(index + 1 === current ? { fw: 600 } : { fw: 400, c: 'dimmed' })}>
            {name}
          </Text>
        </Box>
      ))}
    </Group>
  )
}
