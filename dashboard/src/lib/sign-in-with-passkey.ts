import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { PasskeyFailure, passkeyFailure } from './passkey-failure.ts'
import { withPasskeySignals } from './with-passkey-signals.ts'

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
  try {
    return (await answer(api.POST('/api/passkeys/login/verify', { body }))).user
  } catch (error) {
    const passkey = { rpId: options.rpId, credentialId: response.id }
    await withPasskeySignals(({ signalRefusal }) => signalRefusal(error, passkey))
    throw error
  }
}
