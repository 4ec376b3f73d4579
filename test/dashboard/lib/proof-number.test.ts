import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proofNumber } from '../../../dashboard/src/lib/proof-number.ts'

test('the number of a proof is read from it, whatever the names of receivers are', () => {
  const payload = Buffer.from(JSON.stringify({ number: 41, told: [{ name: 'Büro ÿþ ✓ ???>>>' }] })).toString(
    'base64url',
  )
  assert.match(payload, /[-_]/, 'it has letters that only base64url has')
  assert.equal(proofNumber(`e30.${payload}.signature`), 41)
})
