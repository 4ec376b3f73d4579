import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { PasskeyFailure, passkeyFailure } from './passkey-failure.ts'

/** Signs in with a discoverable passkey. With autofill the browser offers passkeys in the email field, until one is chosen. */
export async function signInWithPasskey({ autofill = false } = {}): Promise<void> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const { challengeId, ...options } = await answer(api.POST('/api/passkeys/login/options', { body: {} }))
  const response = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: autofill,
  }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  await answer(api.POST('/api/passkeys/login/verify', { body: { challengeId, response: { ...response } as never } }))
}

export async function addPasskey(name?: string): Promise<void> {
  if (!browserSupportsWebAuthn()) throw new PasskeyFailure('unsupported')
  const options = await answer(api.POST('/api/passkeys/register/options', { body: {} }))
  const response = await startRegistration({
    optionsJSON: options as PublicKeyCredentialCreationOptionsJSON,
  }).catch((error: unknown) => {
    throw passkeyFailure(error)
  })
  const body = { response: { ...response } as never, ...(name ? { name } : {}) }
  await answer(api.POST('/api/passkeys/register/verify', { body }))
}
