import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asText } from '../../../dashboard/src/texts/as-text.ts'

test('a value of a notification is shown only when it is a string that is not empty', () => {
  assert.equal(asText('Ada', 'somebody'), 'Ada')
  for (const value of ['', undefined, null, 7, {}, ['Ada']]) assert.equal(asText(value, 'somebody'), 'somebody')
})
