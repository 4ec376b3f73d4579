import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { PasskeyFailure, passkeyFailure } from './passkey-failure.ts'

export type SignedIn = { id: string; email: string; displayName: string | null; avatarUrl: string | null }

/** Signs in with a discoverable passkey. With autofill the browser offers passkeys in the email field, until one is chosen. */
export async function signInWithPasskey({ autofill = false } = {}): Promise<SignedIn> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const { challengeId, ...options } = await answer(api.POST('/api/passkeys/login/options', { body: {} }))
  const response = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: autofill,
  }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  const body = { challengeId, response: { ...response } as never }
  const { user } = await answer(api.POST('/api/passkeys/login/verify', { body }))
  return user
}

export async function addPasskey(name?: string): Promise<void> {
  const response = await createPasskey(() => answer(api.POST('/api/passkeys/register/options', { body: {} })))
  const body = { response, ...(name ? { name } : {}) }
  await answer(api.POST('/api/passkeys/register/verify', { body }))
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
