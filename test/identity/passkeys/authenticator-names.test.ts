import assert from 'node:assert/strict'
import { test } from 'node:test'
import names from '../../../src/identity/passkeys/authenticator-names.json' with { type: 'json' }
import { authenticatorName } from '../../../src/identity/passkeys/authenticator-names.ts'

test('a known authenticator has its name, however its AAGUID is written', () => {
  assert.equal(authenticatorName('fbfc3007-154e-4ecc-8c0b-6e020557d7bd'), 'Apple Passwords')
  assert.equal(authenticatorName('ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'), 'Google Password Manager')
  assert.equal(authenticatorName('2FC0579F-8113-47EA-B116-BB5A8DB9202A'), 'YubiKey 5 Series with NFC')
})

test('an authenticator without a model or with an unknown one has no name', () => {
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000'), undefined)
  assert.equal(authenticatorName('11111111-2222-4333-8444-555555555555'), undefined)
})

test('every name on the list is one line of visible text that fits a passkey', () => {
  assert.ok(Object.keys(names).length > 200)
  for (const [aaguid, name] of Object.entries(names)) {
    assert.match(aaguid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.match(name, /^[^\p{C}\p{Zl}\p{Zp}<>]{1,100}$/u)
    assert.equal(name, name.trim())
  }
})

test('the list has no entry for a test authenticator', () => {
  assert.equal(authenticatorName('ab32f0c6-2239-afbb-c470-d2ef4e254db6'), undefined)
})
