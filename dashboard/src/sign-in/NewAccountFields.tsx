import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'

type NewAccount = { displayName: string; email: string; password: string }
type Fields = { value: NewAccount; change: (part: Partial<NewAccount>) => void }

export function useNewAccount(): Fields {
  const [value, setValue] = useState<NewAccount>({ displayName: '', email: '', password: '' })
  return { value, change: (part) => setValue((before) => ({ ...before, ...part })) }
}

export async function register({ displayName, email, password }: NewAccount): Promise<void> {
  const body = { email, password, ...(displayName.trim() ? { displayName: displayName.trim() } : {}) }
  const { user } = await answer(api.POST('/api/auth/register', { body }))
  tellTabs({ kind: 'signed-in', userId: user.id })
}

export function NewAccountFields({ value, change }: Fields) {
  const texts = useTexts('publicPages')
  return (
    <>
      <Field name="displayName">
        <TextInput
          label={texts.displayName}
          description={texts.displayNameHint}
          autoComplete="name"
          autoFocus
          maxLength={100}
          value={value.displayName}
          onChange={(event) => change({ displayName: event.currentTarget.value })}
        />
      </Field>
      <Field name="email">
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={value.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
        />
      </Field>
      <Field name="password">
        <NewPasswordInput
          label={texts.password}
          person={value}
          value={value.password}
          onChange={(password) => change({ password })}
        />
      </Field>
    </>
  )
}
