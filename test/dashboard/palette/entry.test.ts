import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matches } from '../../../dashboard/src/palette/entry.ts'

test('a search finds every word in any order, without regard to case and accents', () => {
  assert.ok(matches('Schlüssel und Zertifikate SSH', 'ssh schlussel'))
  assert.ok(!matches('Roles', 'roles users'))
})
