import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { controlSocketOf, isTooLong } from '../../src/control/control-socket.ts'

describe('the socket for commands', () => {
  test('stands beside the SQLite file, and there is none on PostgreSQL', () => {
    assert.equal(controlSocketOf('sqlite:/var/lib/latchkey/latchkey.db'), '/var/lib/latchkey/latchkey.db.sock')
    assert.equal(controlSocketOf('postgres://localhost/latchkey'), undefined)
    assert.equal(controlSocketOf('postgresql://localhost/sqlite:'), undefined)
  })

  test('has a path of at most 103 bytes, where a letter can be more than one', () => {
    assert.equal(isTooLong('x'.repeat(103)), false)
    assert.equal(isTooLong('x'.repeat(104)), true)
    assert.equal(isTooLong('ü'.repeat(51)), false)
    assert.equal(isTooLong('ü'.repeat(52)), true)
  })
})
