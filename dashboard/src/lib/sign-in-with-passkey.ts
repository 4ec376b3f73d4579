import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { PasskeyFailure, passkeyFailure } from './passkey-failure.ts'

export type SignedIn = { id: string; email: string; displayName: string | null; avatarUrl: string | null }

type Options = {
  /** The browser offers passkeys in the email field, until one is chosen. */
  autofill?: boolean
  onChosen?: () => void
}

/** Signs in with a discoverable passkey. */
export async function signInWithPasskey({ autofill = false, onChosen }: Options = {}): Promise<SignedIn> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const { challengeId, ...options } = await answer(api.POST('/api/passkeys/login/options', { body: {} }))
  const response = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: autofill,
  }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  onChosen?.()
  const body = { challengeId, response: { ...response } as never }
  const { user } = await answer(api.POST('/api/passkeys/login/verify', { body }))
  return user
}
