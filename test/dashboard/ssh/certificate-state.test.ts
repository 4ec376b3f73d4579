import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { certificateState } from '../../../dashboard/src/ssh/certificate-state.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const seconds = (milliseconds: number) => milliseconds / 1000

describe('the state of a certificate', () => {
  test('is valid until the second in validBefore, as for OpenSSH and the server', () => {
    const at = (validBefore: number) => certificateState({ revokedAt: null, validBefore }, NOW)
    assert.equal(at(seconds(NOW) + 1), 'valid')
    assert.equal(at(seconds(NOW)), 'expired')
    assert.equal(at(seconds(NOW) - 1), 'expired')
  })

  test('is revoked from its revocation on, even after it has expired', () => {
    assert.equal(certificateState({ revokedAt: NOW, validBefore: seconds(NOW) + 3600 }, NOW), 'revoked')
    assert.equal(certificateState({ revokedAt: NOW - 1, validBefore: seconds(NOW) - 3600 }, NOW), 'revoked')
    assert.equal(certificateState({ revokedAt: 0, validBefore: seconds(NOW) + 3600 }, NOW), 'revoked')
  })
})
