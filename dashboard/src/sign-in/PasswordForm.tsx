import { Anchor, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { SignedIn } from '../lib/sign-in-with-passkey.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { rememberedAccounts, type RememberedAccount } from '../session/remembered-accounts.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { AccountLine } from './AccountLine.tsx'
import { loginHint } from './sign-in-target.ts'
import classes from './PasswordForm.module.css'

type Props = {
  chosen: RememberedAccount | undefined
  onChooseAgain: () => void
  onSignedIn: (user: SignedIn, isRemembered: boolean) => void
  onFailure: (failure: unknown) => Promise<void>
}

/** Signs in with email and password. The email of an account that was chosen is filled in. */
export function PasswordForm({ chosen, onChooseAgain, onSignedIn, onFailure }: Props) {
  const texts = useTexts('publicPages')
  const shared = useTexts('shared')
  const [email, setEmail] = useState(chosen?.email ?? loginHint)
  const [password, setPassword] = useState('')
  const [rememberMe, setRememberMe] = useState(chosen !== undefined)
  const { busy, onSubmit } = useSubmit(async () => {
    void onFailure(undefined)
    try {
      const { user } = await answer(api.POST('/api/auth/login', { body: { email, password, rememberMe } }))
      onSignedIn(user, rememberMe)
    } catch (error) {
      await onFailure(error)
    }
  })

  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {chosen && (
          <Group gap="sm" wrap="nowrap">
            <AccountLine {...chosen} />
          </Group>
        )}
        <TextInput
          label={texts.email}
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus={email === ''}
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={texts.password}
          name="password"
          autoComplete="current-password"
          autoFocus={email !== ''}
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': shared.showPassword }}
        />
        <label className={classes.remember}>
          <input
            type="checkbox"
            checked={rememberMe}
            onChange={(event) => setRememberMe(event.currentTarget.checked)}
          />
          {texts.login.rememberMe}
        </label>
        <Button type="submit" size="md" variant="light" fullWidth loading={busy}>
          {texts.login.submit}
        </Button>
        <Group justify="center" gap="lg">
          <Anchor size="sm" href={paths.forgotPassword}>
            {texts.login.forgot}
          </Anchor>
          {rememberedAccounts().length > 0 && (
            <Anchor size="sm" component="button" type="button" onClick={onChooseAgain}>
              {texts.login.chooseAgain}
            </Anchor>
          )}
        </Group>
      </Stack>
    </form>
  )
}
