import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { answer, api } from '../api/client.ts'
import type { Proof } from '../api/prove-again.ts'
import { PasskeyFailure, passkeyFailure } from '../lib/passkey-failure.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { NO_SECOND_STEP, SecondStepFields, secondStepOf } from '../ui/SecondStepFields.tsx'
import { meQuery, useMe } from './me.ts'

type Props = {
  methods: readonly Proof[]
  onEnd: (isProven: boolean) => void
}

/** Asks over the page who has the session. What was to be done goes on after that, and what was entered stays. */
export default function ProveAgainDialog({ methods, onEnd }: Props) {
  const texts = useTexts('account').proof
  const { user } = useMe()
  const client = useQueryClient()
  const hasSecondStep = methods.includes('second_step')
  const done = async () => {
    await client.invalidateQueries({ queryKey: meQuery.queryKey })
    onEnd(true)
  }
  const form = useSubmitForm({
    initialValues: { password: '', ...NO_SECOND_STEP },
    async submit({ password, ...second }) {
      const body = { password, ...(hasSecondStep ? secondStepOf(second) : {}) }
      await answer(api.POST('/api/auth/fresh', { body }))
      await done()
    },
    isDisposable: true,
  })
  const byPasskey = useSubmit(async () => {
    await proveWithPasskey()
    await done()
  })
  const hasPassword = methods.includes('password')
  const hasPasskey = methods.includes('passkey')

  // Somebody who has nothing else needs no button to choose it. A development build runs effects twice.
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current || !hasPasskey || hasPassword) return
    isStarted.current = true
    byPasskey.run()
  })

  return (
    <Modal opened onClose={() => onEnd(false)} title={texts.title} withCloseButton={false} zIndex={400}>
      <Form form={form}>
        <Stack>
          <Text size="sm">{methods.length === 0 ? texts.nothing : texts.text}</Text>
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
              <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
              <CurrentPasswordInput label={texts.password} data-autofocus {...form.getInputProps('password')} />
              {hasSecondStep && <SecondStepFields form={form} />}
            </>
          )}
          <FailureAlert failure={form.unplaced ?? byPasskey.failure} />
          <Group justify="flex-end" gap="sm">
            <Button variant="subtle" onClick={() => onEnd(false)}>
              {texts.cancel}
            </Button>
            {hasPassword && (
              <Button type="submit" loading={form.busy}>
                {texts.submit}
              </Button>
            )}
          </Group>
        </Stack>
      </Form>
    </Modal>
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
