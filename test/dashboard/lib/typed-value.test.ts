import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  attributeErrors,
  attributeRows,
  attributesOf,
  typed,
  type Value,
  valueOf,
} from '../../../dashboard/src/lib/typed-value.ts'

describe('a value that is edited', () => {
  test('is the same after it was shown and not touched', () => {
    const values: Value[] = ['', ' two words ', 0, -2.5, true, false, [], ['red', 'light blue']]
    for (const value of values) assert.deepEqual(valueOf(typed(value)), value)
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
    assert.deepEqual(attributesOf(attributeRows(attributes)), attributes)
  })

  test('have names that the server accepts, each once, and whole values', () => {
    const rows = [
      { name: ' unit ', value: text('a') },
      { name: 'unit', value: text('b') },
      { name: '1st', value: text('c') },
      { name: 'quota', value: { kind: 'number', text: 'many' } as const },
    ]
    const texts = { badName: 'name', twice: 'twice', noNumber: 'value' }
    assert.deepEqual(attributeErrors(rows, texts), {
      'attributes.1.name': 'twice',
      'attributes.2.name': 'name',
      'attributes.3.value.text': 'value',
    })
    assert.deepEqual(attributeErrors(rows.slice(0, 1), texts), {})
    assert.deepEqual(attributesOf(rows.slice(0, 1)), { unit: 'a' })
  })

  test('may have names that every object has', () => {
    const name = 'constructor'
    assert.deepEqual(attributesOf([{ name, value: text('x') }]), { [name]: 'x' })
  })
})
