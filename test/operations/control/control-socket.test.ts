import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { controlSocketOf, isTooLong } from '../../../src/operations/control/send-command.ts'

describe('the socket for commands', () => {
  test('is next to the SQLite file, and does not exist on PostgreSQL', () => {
    assert.equal(controlSocketOf('sqlite:/var/lib/latchkey/latchkey.db'), '/var/lib/latchkey/latchkey.db.sock')
    assert.equal(controlSocketOf('postgres://localhost/latchkey'), undefined)
    assert.equal(controlSocketOf('postgresql://localhost/sqlite:'), undefined)
  })

  test('has a path of at most 103 bytes, counted in UTF-8', () => {
    assert.equal(isTooLong('x'.repeat(103)), false)
    assert.equal(isTooLong('x'.repeat(104)), true)
    assert.equal(isTooLong('ü'.repeat(51)), false)
    assert.equal(isTooLong('ü'.repeat(52)), true)
  })
})
