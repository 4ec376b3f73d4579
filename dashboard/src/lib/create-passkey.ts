import {
  browserSupportsWebAuthn,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { PasskeyFailure, passkeyFailure } from './passkey-failure.ts'
import type { SignedIn } from './sign-in-with-passkey.ts'
import { withPasskeySignals } from './with-passkey-signals.ts'

export async function addPasskey(name?: string): Promise<void> {
  const response = await createPasskey(() => answer(api.POST('/api/passkeys/register/options', { body: {} })))
  const body = { response, ...(name ? { name } : {}) }
  try {
    await answer(api.POST('/api/passkeys/register/verify', { body }))
  } finally {
    // Also when it was refused: the browser has a passkey now that nobody here knows.
    await withPasskeySignals(({ signalPasskeys }) => signalPasskeys())
  }
}

/** Accepts an invitation with a new passkey. */
export async function acceptWithPasskey(invitation: {
  token: string
  displayName?: string
}): Promise<{ user: SignedIn }> {
  const { token } = invitation
  const response = await createPasskey(() =>
    answer(api.POST('/api/auth/invitation/passkey-options', { body: { token } })),
  )
  return answer(api.POST('/api/auth/invitation/accept', { body: { ...invitation, response } }))
}

/** Lets the authenticator create a passkey, and returns its response. */
async function createPasskey(fetchOptions: () => Promise<unknown>): Promise<never> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const optionsJSON = (await fetchOptions()) as PublicKeyCredentialCreationOptionsJSON
  const response = await startRegistration({ optionsJSON }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  return { ...response } as never
}
