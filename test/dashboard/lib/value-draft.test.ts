import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Value, draftOf, valueOf } from '../../../dashboard/src/lib/value-draft.ts'

describe('a value that is edited', () => {
  test('is the same after it was shown and not touched', () => {
    const values: Value[] = ['', ' two words ', 0, -2.5, true, false, [], ['red', 'light blue']]
    for (const value of values) assert.deepEqual(valueOf(draftOf(value)), value)
  })

  test('is a list with one item for each line that is not empty', () => {
    assert.deepEqual(valueOf({ kind: 'list', text: ' red \n\n\nblue, green\n' }), ['red', 'blue, green'])
  })

  test('is no number unless all of it is one', () => {
    for (const text of ['', ' ', 'many', '1,5', '2x', 'Infinity', 'NaN'])
      assert.equal(valueOf({ kind: 'number', text }), undefined, text)
    assert.equal(valueOf({ kind: 'number', text: ' 1.5 ' }), 1.5)
  })
})
