import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plural } from '../../../dashboard/src/texts/plural.ts'

test('a number has the form and the digits that the language gives it', () => {
  const hours = { one: '# hour', other: '# hours' }
  assert.equal(plural('en', 1, hours), '1 hour')
  assert.equal(plural('en', 0, hours), '0 hours')
  assert.equal(plural('en', 1234, hours), '1,234 hours')
  assert.equal(plural('de', 1234, { one: '# Stunde', other: '# Stunden' }), '1.234 Stunden')
})
