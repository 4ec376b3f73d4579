import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attributeDrafts, attributesOf } from '../../../dashboard/src/lib/attribute-draft.ts'

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
