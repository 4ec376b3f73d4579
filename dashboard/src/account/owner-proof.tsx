import { PasswordInput, type PasswordInputProps, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { actingUser } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { hasCode } from '../api/failure.ts'
import { PasskeyFailure } from '../lib/passkey-failure.ts'
import { signInWithPasskey } from '../lib/sign-in-with-passkey.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

/** Runs a change that needs proof. Somebody without a password signs in with the passkey once more if the server asks. */
export async function withOwnerProof<Answer>(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change()
  } catch (failure) {
    if (!hasCode(failure, 'fresh_sign_in_needed')) throw failure
    const signedIn = await signInWithPasskey()
    if (signedIn.id === actingUser()) return change()
    // The passkey of another account: that session ends again, and this page asks to sign in.
    await answer(api.POST('/api/auth/logout', { headers: { 'X-Latchkey-User': signedIn.id } }))
    throw new PasskeyFailure('failed')
  }
}

const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => answer(api.GET('/api/account/sign-in-methods')),
})

/** What proves that the owner of the account asks: the password, or the passkey of somebody who has none. */
export function OwnerProofField(input: PasswordInputProps) {
  const methods = useQuery(methodsQuery).data
  const texts = useTexts('account').profile
  const { showPassword } = useTexts('shared')
  if (methods?.hasPassword === false) return <Text size="sm">{texts.passkeyProof}</Text>
  return (
    <PasswordInput
      label={texts.currentPassword}
      autoComplete="current-password"
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': showPassword }}
      {...input}
    />
  )
}
