import { Button, Code, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { BegunTotp, Me } from '../api/shapes.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'

type Props = { demanded: NonNullable<Me['mustSetUp']>; onDone: () => Promise<void> }

/** A role demands what this person does not have: they set it up here, and go on. */
export default function SetUpDemanded({ demanded, onDone }: Props) {
  const texts = useTexts('proof').setUp
  const [begun, setBegun] = useState<BegunTotp>()
  const [codes, setCodes] = useState<string[]>()
  const passkey = useSubmit(async () => {
    const { addPasskey } = await import('../lib/create-passkey.ts')
    await addPasskey()
    await onDone()
  })
  const app = useSubmit(async () => setBegun(await answer(api.POST('/api/account/totp'))))
  const mayUseApp = demanded.includes('second_step')

  if (codes) {
    return (
      <Stack>
        <Text size="sm">{texts.codes}</Text>
        <Code block>{codes.join('\n')}</Code>
        <Button onClick={() => void onDone()}>{texts.kept}</Button>
      </Stack>
    )
  }
  if (begun) return <FirstCode begun={begun} onConfirmed={setCodes} />
  return (
    <Stack>
      <Text size="sm">{mayUseApp ? texts.either : texts.passkeyOnly}</Text>
      <FailureAlert failure={passkey.failure ?? app.failure} />
      <Button fullWidth leftSection={<Icon name="fingerprint" />} loading={passkey.busy} onClick={() => passkey.run()}>
        {texts.addPasskey}
      </Button>
      {mayUseApp && (
        <Button fullWidth variant="default" loading={app.busy} onClick={() => app.run()}>
          {texts.addApp}
        </Button>
      )}
    </Stack>
  )
}

type FirstCodeProps = { begun: BegunTotp; onConfirmed: (codes: string[]) => void }

/** Shows the secret to an app, and asks for its first code. */
function FirstCode({ begun, onConfirmed }: FirstCodeProps) {
  const texts = useTexts('proof').setUp
  const form = useSubmitForm({
    initialValues: { code: '' },
    async submit({ code }) {
      const body = { code: code.replaceAll(/\s/g, '') }
      onConfirmed((await answer(api.POST('/api/account/totp/confirm', { body }))).recoveryCodes)
    },
    isDisposable: true,
  })
  return (
    <Form form={form}>
      <Stack>
        <Text size="sm">{texts.scan}</Text>
        <img
          src={`data:image/svg+xml,${encodeURIComponent(begun.qr)}`}
          alt={texts.qr}
          width={200}
          height={200}
          style={{ background: '#ffffff', padding: 8, alignSelf: 'center' }}
        />
        <Code block aria-label={texts.secret}>
          {begun.secret.replaceAll(/.{4}(?=.)/g, '$& ')}
        </Code>
        <TextInput
          label={texts.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
          required
          withAsterisk={false}
          {...form.getInputProps('code')}
        />
        <FailureAlert failure={form.unplaced} />
        <Button type="submit" loading={form.busy}>
          {texts.turnOn}
        </Button>
      </Stack>
    </Form>
  )
}
