import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WebAuthnError } from '@simplewebauthn/browser'
import { PasskeyFailure, passkeyFailure } from '../../../dashboard/src/lib/passkey-failure.ts'

/** An error as browsers throw it out of a ceremony. */
const thrown = (name: string) => Object.assign(new Error('as the browser says it'), { name })

const reasonOf = (error: unknown) => {
  const failure = passkeyFailure(error)
  return failure instanceof PasskeyFailure ? failure.reason : undefined
}

describe('a passkey ceremony that failed in the browser', () => {
  test('was cancelled when the browser says so, or gave up waiting', () => {
    assert.equal(reasonOf(thrown('NotAllowedError')), 'cancelled')
    assert.equal(reasonOf(thrown('AbortError')), 'cancelled')
    const cause = thrown('AbortError')
    assert.equal(reasonOf(new WebAuthnError({ message: '', code: 'ERROR_CEREMONY_ABORTED', cause })), 'cancelled')
  })

  test('says when the device has a passkey for the account already', () => {
    const cause = thrown('InvalidStateError')
    const code = 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    assert.equal(reasonOf(new WebAuthnError({ message: '', code, cause })), 'known')
  })

  test('has failed for any other reason that the library names', () => {
    const cause = thrown('SecurityError')
    assert.equal(reasonOf(new WebAuthnError({ message: '', code: 'ERROR_INVALID_RP_ID', cause })), 'failed')
  })

  test('leaves errors that are none of the ceremony as they are', () => {
    for (const error of [new TypeError('Failed to fetch'), new Error('InvalidStateError'), 'text', undefined]) {
      assert.equal(passkeyFailure(error), error)
    }
  })
})
