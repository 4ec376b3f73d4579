import { WebAuthnError } from '@simplewebauthn/browser'

type Reason = 'unsupported' | 'cancelled' | 'known' | 'failed'

/** A passkey ceremony that failed in the browser, before a request to the server. */
export class PasskeyFailure extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason)
    this.name = 'PasskeyFailure'
    this.reason = reason
  }
}

/** To protect privacy, browsers report a cancelled prompt, a timeout and a missing passkey alike, as NotAllowedError. */
export function passkeyFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
    return new PasskeyFailure('known')
  }
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return new PasskeyFailure('cancelled')
  return error instanceof WebAuthnError ? new PasskeyFailure('failed') : error
}
