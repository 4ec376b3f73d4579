import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attributeDrafts, attributesOf, draftOf, type Value, valueOf } from '../../../dashboard/src/lib/value-draft.ts'

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

const text = (value: string) => ({ kind: 'string', text: value }) as const

describe('the attributes that are edited', () => {
  test('are the same after they were shown and not touched', () => {
    const attributes = { department: 'Navy', quota: 2.5, remote: true, teams: ['red'] }
    assert.deepEqual(attributesOf(attributeDrafts(attributes)), { attributes })
  })

  test('have names that the server accepts, each once, and whole values', () => {
    const drafts = [
      { name: ' unit ', value: text('a') },
      { name: 'unit', value: text('b') },
      { name: '1st', value: text('c') },
      { name: 'quota', value: { kind: 'number', text: 'many' } as const },
    ]
    assert.deepEqual(attributesOf(drafts), { problems: [undefined, 'twice', 'name', 'value'] })
    assert.deepEqual(attributesOf(drafts.slice(0, 1)), { attributes: { unit: 'a' } })
  })

  test('may have names that every object has', () => {
    const name = 'constructor'
    assert.deepEqual(attributesOf([{ name, value: text('x') }]), { attributes: { [name]: 'x' } })
  })
})
