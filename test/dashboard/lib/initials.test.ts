import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initials } from '../../../dashboard/src/lib/initials.ts'

test('initials are whole characters, also of an emoji, a flag or a letter with marks', () => {
  assert.equal(initials('Ada Lovelace'), 'AL')
  assert.equal(initials('  grace brewster murray hopper '), 'GH')
  assert.equal(initials('ada@example.com'), 'A')
  assert.equal(initials('👩‍🚀 Sally'), '👩‍🚀S')
  assert.equal(initials('🇩🇪'), '🇩🇪')
  assert.equal(initials('e\u0301mile'), 'E\u0301')
  assert.equal(initials(''), '')
  assert.equal(initials('Team Wiki', 1), 'T')
})
