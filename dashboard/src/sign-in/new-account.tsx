import { TextInput } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'
import { answer, api } from '../api/client.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import type { FormFields } from '../ui/Form.tsx'
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

const Offer = lazy(() => import('./PasskeyOffer.tsx'))

/** Offers a passkey to somebody who has just made an account. Not loaded with the page: nobody needs it before. */
export function PasskeyOffer(props: ComponentProps<typeof Offer>) {
  return (
    <Suspense fallback={null}>
      <Offer {...props} />
    </Suspense>
  )
}
