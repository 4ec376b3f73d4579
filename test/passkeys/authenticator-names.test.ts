import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticatorName } from '../../src/passkeys/authenticator-names.ts'

test('a known authenticator has its name, however its AAGUID is written', () => {
  assert.equal(authenticatorName('fbfc3007-154e-4ecc-8c0b-6e020557d7bd'), 'iCloud Keychain')
  assert.equal(authenticatorName('2FC0579F-8113-47EA-B116-BB5A8DB9202A'), 'YubiKey 5 NFC')
})

test('an authenticator that does not tell its model has no name', () => {
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000'), undefined)
})
