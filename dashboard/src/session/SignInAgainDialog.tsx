import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { actingUser } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import type { AwaitedStep } from '../api/shapes.ts'
import { signInWithPasskey, type SignedIn } from '../lib/sign-in-with-passkey.ts'
import { discardUnsavedChanges } from '../lib/unsaved-changes.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { loginWithReturn } from '../paths.ts'
import SecondStepForm from '../sign-in/SecondStepForm.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useMe } from './me.ts'
import { setSessionState } from './session-state.ts'
import { tellTabs } from './tell-tabs.ts'

/** Signs the same person in again over the page, so that what was entered there is not lost. */
export default function SignInAgainDialog() {
  const texts = useTexts('account').session
  const { user } = useMe()
  const client = useQueryClient()
  const [isOther, setOther] = useState(false)
  const [step, setStep] = useState<AwaitedStep>()

  async function goOn(signedIn: SignedIn) {
    if (signedIn.id !== actingUser()) {
      setOther(true)
      await answer(api.POST('/api/auth/logout', { headers: { 'X-Latchkey-User': signedIn.id } }))
      return
    }
    setSessionState('open')
    tellTabs({ kind: 'signed-in', userId: signedIn.id })
    await client.invalidateQueries()
  }
  const form = useSubmitForm({
    initialValues: { password: '' },
    async submit({ password }) {
      setOther(false)
      const body = { email: user.email, password, rememberMe: false }
      const outcome = await answer(api.POST('/api/auth/login', { body }))
      if ('user' in outcome) await goOn(outcome.user)
      else setStep(outcome.secondStep)
    },
    isDisposable: true,
  })
  const byPasskey = useSubmit(async () => goOn(await signInWithPasskey()))
  const leave = () => {
    discardUnsavedChanges()
    location.replace(loginWithReturn(location.pathname + location.search + location.hash))
  }

  return (
    <Modal
      opened
      onClose={() => undefined}
      title={texts.endedTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={400}
    >
      {step ? (
        <SecondStepForm step={step} onSignedIn={goOn} onBack={() => setStep(undefined)} />
      ) : (
        <Form form={form}>
          <Stack>
            <Text size="sm">{texts.endedText(user.email)}</Text>
            <Button
              variant="default"
              fullWidth
              leftSection={<Icon name="fingerprint" />}
              loading={byPasskey.busy}
              onClick={() => byPasskey.run()}
            >
              {texts.passkey}
            </Button>
            <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
            <CurrentPasswordInput label={texts.password} data-autofocus {...form.getInputProps('password')} />
            {isOther && (
              <Alert role="alert" color="red" variant="light">
                {texts.otherPasskey}
              </Alert>
            )}
            <FailureAlert failure={form.unplaced ?? byPasskey.failure} />
            <Group justify="flex-end" gap="sm">
              <Button variant="subtle" onClick={leave}>
                {texts.leave}
              </Button>
              <Button type="submit" loading={form.busy}>
                {texts.signIn}
              </Button>
            </Group>
          </Stack>
        </Form>
      )}
    </Modal>
  )
}
