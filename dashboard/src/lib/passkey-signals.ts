import { WebAuthnAbortService } from '@simplewebauthn/browser'
import { answer, api } from '../api/client.ts'
import { ApiFailure } from '../api/failure.ts'

/** Each of the methods of WebAuthn Level 3 is in some browsers and not in others. */
const webAuthn = (): Partial<typeof PublicKeyCredential> =>
  typeof PublicKeyCredential === 'undefined' ? {} : PublicKeyCredential

/** Nobody waits longer for what the browser does of this. */
const MAX_WAIT_MS = 3_000
/** A browser may leave the making of a passkey unanswered. */
const MAX_CREATION_MS = 10_000

/**
 * Tells the browser which passkeys and names of the person are current, so that it offers no passkey that is gone. Never fails, like the
 * others here: nothing of this is for the person.
 */
export async function signalPasskeys(): Promise<void> {
  if (canSignal()) await briefly(quietly(async () => tell(await loadSignals())))
}

/** The same after a sign-in. Where the browser can make a passkey by itself, and may, it does. */
export const signalSignIn = (): Promise<void> =>
  quietly(async () => {
    const canCreate = (await webAuthn().getClientCapabilities?.())?.['conditionalCreate'] === true
    if (!canCreate && !canSignal()) return
    const signals = await loadSignals()
    await tell(signals)
    if (canCreate && signals.mayCreate) await createPasskeyUnasked()
  })

/** The same on a page that is left then. */
export const signalSignInBriefly = (): Promise<void> => briefly(signalSignIn())

/** Tells the browser that nobody here has a passkey that it has offered, if that is why it was refused. */
export async function signalRefusal(error: unknown, passkey: { rpId: string; credentialId: string }): Promise<void> {
  const isUnknown = error instanceof ApiFailure && error.reason === 'passkey_not_known'
  if (isUnknown) await briefly(quietly(async () => webAuthn().signalUnknownCredential?.(passkey)))
}

const canSignal = (): boolean => {
  const { signalAllAcceptedCredentials, signalCurrentUserDetails } = webAuthn()
  return signalAllAcceptedCredentials !== undefined || signalCurrentUserDetails !== undefined
}

const loadSignals = () => answer(api.GET('/api/passkeys/signals'))

async function tell(signals: Awaited<ReturnType<typeof loadSignals>>): Promise<void> {
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signals
  // One after the other: a browser refuses a second one while the first is under way.
  await webAuthn().signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds })
  await webAuthn().signalCurrentUserDetails?.({ rpId, userId, name, displayName })
}

async function createPasskeyUnasked(): Promise<void> {
  const options = await answer(api.POST('/api/passkeys/register/options', { body: { conditional: true } }))
  // A ceremony that the person starts meanwhile goes first.
  const signal = AbortSignal.any([WebAuthnAbortService.createNewAbortSignal(), AbortSignal.timeout(MAX_CREATION_MS)])
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const unasked = { publicKey, signal, mediation: 'conditional' }
  const credential = await navigator.credentials.create(unasked)
  if (!(credential instanceof PublicKeyCredential)) return
  try {
    const body = { response: credential.toJSON() as never }
    await answer(api.POST('/api/passkeys/register/verify', { body }))
  } catch {
    // The browser has one now that nobody here knows.
    await tell(await loadSignals())
  }
}

/** Runs something whose failure concerns nobody. */
const quietly = (work: () => Promise<void>): Promise<void> => work().catch(() => undefined)

const briefly = (work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT_MS))])
