import { Button, Stack, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import type { FormFields } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'

export type NewAccount = { displayName: string; email: string; password: string }

export const NEW_ACCOUNT: NewAccount = { displayName: '', email: '', password: '' }

export async function register({ displayName, email, password }: NewAccount): Promise<void> {
  const body = { email, password, ...(displayName.trim() ? { displayName: displayName.trim() } : {}) }
  const { user } = await answer(api.POST('/api/auth/register', { body }))
  tellTabs({ kind: 'signed-in', userId: user.id })
}

export function NewAccountFields({ form }: { form: FormFields<NewAccount> }) {
  const texts = useTexts('publicPages')
  return (
    <>
      <TextInput
        label={texts.displayName}
        description={texts.displayNameHint}
        autoComplete="name"
        autoFocus
        maxLength={100}
        {...form.getInputProps('displayName')}
      />
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        {...form.getInputProps('email')}
      />
      <NewPasswordInput label={texts.password} person={form.values} {...form.getInputProps('password')} />
    </>
  )
}

/** Offers a passkey to somebody who has just made an account, and goes on with or without one. */
export function PasskeyOffer({ to, children }: { to: string; children?: string }) {
  const texts = useTexts('publicPages').setup
  const { busy, failure, run } = useSubmit(async () => {
    // Not with the page: nobody needs it before they have an account.
    const { addPasskey } = await import('../lib/create-passkey.ts')
    await addPasskey()
    location.replace(to)
  })
  return (
    <Stack gap="md">
      {children && <Text size="sm">{children}</Text>}
      <FailureAlert failure={failure} />
      <Button size="md" autoFocus loading={busy} leftSection={<Icon name="fingerprint" />} onClick={() => run()}>
        {texts.passkeySubmit}
      </Button>
      <Button variant="subtle" component="a" href={to}>
        {texts.skip}
      </Button>
    </Stack>
  )
}
