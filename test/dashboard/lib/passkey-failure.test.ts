import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WebAuthnError } from '@simplewebauthn/browser'
import { PasskeyFailure, passkeyFailure } from '../../../dashboard/src/lib/passkey-failure.ts'

/** An error with the name that browsers give it. */
const thrown = (name: string) => Object.assign(new Error('the message of the browser'), { name })

const reasonOf = (error: unknown) => {
  const failure = passkeyFailure(error)
  return failure instanceof PasskeyFailure ? failure.reason : undefined
}

describe('a passkey ceremony that failed in the browser', () => {
  test('is reported as cancelled when the user cancelled it, it timed out or it was aborted', () => {
    assert.equal(reasonOf(thrown('NotAllowedError')), 'cancelled')
    assert.equal(reasonOf(thrown('AbortError')), 'cancelled')
    const cause = thrown('AbortError')
    assert.equal(reasonOf(new WebAuthnError({ message: '', code: 'ERROR_CEREMONY_ABORTED', cause })), 'cancelled')
  })

  test('is reported as known when the device already has a passkey for the account', () => {
    const cause = thrown('InvalidStateError')
    const code = 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    assert.equal(reasonOf(new WebAuthnError({ message: '', code, cause })), 'known')
  })

  test('is reported as failed for any other reason that the library names', () => {
    const cause = thrown('SecurityError')
    assert.equal(reasonOf(new WebAuthnError({ message: '', code: 'ERROR_INVALID_RP_ID', cause })), 'failed')
  })

  test('does not change errors from outside the ceremony', () => {
    for (const error of [new TypeError('Failed to fetch'), new Error('InvalidStateError'), 'text', undefined]) {
      assert.equal(passkeyFailure(error), error)
    }
  })
})
