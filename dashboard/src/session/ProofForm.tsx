import { Button, Group, Stack, Text } from '@mantine/core'
import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { type ReactNode, useEffect, useRef } from 'react'
import { answer, api } from '../api/client.ts'
import type { Acr, Proof } from '../api/prove-again.ts'
import { PasskeyFailure, passkeyFailure } from '../lib/passkey-failure.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { NO_SECOND_STEP, SecondStepFields, secondStepOf } from '../ui/SecondStepFields.tsx'

type Props = {
  /** With what this person can prove who they are. */
  methods: readonly Proof[]
  /** How strong the sign-in has to be then; without it any proof is enough. */
  acr?: Acr | undefined
  email: string
  text: string
  onProven: () => Promise<void> | void
  /** Another way on, beside the button. */
  children?: ReactNode
}

/** Asks somebody who is signed in to prove once more who they are. */
export default function ProofForm({ methods, acr = '1', email, text, onProven, children }: Props) {
  const texts = useTexts('proof')
  const hasSecondStep = methods.includes('second_step')
  const hasPasskey = methods.includes('passkey')
  const hasPassword = methods.includes('password') && (acr === '1' || (acr === '2' && hasSecondStep))
  const form = useSubmitForm({
    initialValues: { password: '', ...NO_SECOND_STEP },
    async submit({ password, ...second }) {
      const body = { password, ...(hasSecondStep ? secondStepOf(second) : {}) }
      await answer(api.POST('/api/auth/fresh', { body }))
      await onProven()
    },
    isDisposable: true,
  })
  const byPasskey = useSubmit(async () => {
    await proveWithPasskey()
    await onProven()
  })

  // Somebody who has nothing else needs no button to choose it. A development build runs effects twice.
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current || !hasPasskey || hasPassword) return
    isStarted.current = true
    byPasskey.run()
  })

  return (
    <Form form={form}>
      <Stack>
        <Text size="sm">{hasPasskey || hasPassword ? text : acr === '1' ? texts.nothing : texts.notEnough}</Text>
        {hasPasskey && (
          <Button
            variant={hasPassword ? 'default' : 'filled'}
            fullWidth
            leftSection={<Icon name="fingerprint" />}
            loading={byPasskey.busy}
            onClick={() => byPasskey.run()}
          >
            {texts.passkey}
          </Button>
        )}
        {hasPassword && (
          <>
            <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
            <CurrentPasswordInput label={texts.password} data-autofocus {...form.getInputProps('password')} />
            {/* A recovery code proves no more than the password. */}
            {hasSecondStep && <SecondStepFields form={form} hasRecovery={acr === '1'} />}
          </>
        )}
        <FailureAlert failure={form.unplaced ?? byPasskey.failure} />
        <Group justify="flex-end" gap="sm">
          {children}
          {hasPassword && (
            <Button type="submit" loading={form.busy}>
              {texts.submit}
            </Button>
          )}
        </Group>
      </Stack>
    </Form>
  )
}

async function proveWithPasskey(): Promise<void> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const { challengeId, options } = await answer(api.POST('/api/auth/fresh/options', { body: {} }))
  const optionsJSON = options as Parameters<typeof startAuthentication>[0]['optionsJSON']
  const response = await startAuthentication({ optionsJSON }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  await answer(api.POST('/api/auth/fresh', { body: { challengeId, response: { ...response } as never } }))
}
