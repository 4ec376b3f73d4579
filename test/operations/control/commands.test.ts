import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readCommand } from '../../../src/operations/control/commands.ts'

describe('a command in a line of text', () => {
  test('is parsed without properties that do not belong to it', () => {
    const grant = { name: 'grant-administrator', email: 'ada@example.com' }
    assert.deepEqual(readCommand(JSON.stringify(grant)), grant)
    assert.deepEqual(readCommand(JSON.stringify({ ...grant, how: 'publish', also: 1 })), grant)
    for (const how of ['publish', 'at-once', 'retire-previous']) {
      const rotate = { name: 'rotate-keys', how }
      assert.deepEqual(readCommand(JSON.stringify(rotate)), rotate)
    }
    for (const whose of [{}, { of: 'hosts' }]) {
      const publish = { name: 'rotate-ssh-ca', ...whose, how: 'publish', trustedForMs: 0 }
      assert.deepEqual(readCommand(JSON.stringify(publish)), publish)
      const retire = { name: 'rotate-ssh-ca', ...whose, how: 'retire-previous' }
      assert.deepEqual(readCommand(JSON.stringify({ ...retire, trustedForMs: 7 })), retire)
    }
  })

  test('is parsed as undefined when it is not a known command', () => {
    for (const line of [
      '',
      'grant-administrator ada@example.com',
      '{',
      'null',
      'true',
      '7',
      '"rotate-keys"',
      '[]',
      '{}',
      '{"name":"grant-administrator"}',
      '{"name":"grant-administrator","email":["ada@example.com"]}',
      '{"name":"rotate-keys"}',
      '{"name":"rotate-keys","how":"fast"}',
      '{"name":"rotate-keys","how":["publish"]}',
      '{"name":"rotate-ssh-ca","how":"publish"}',
      '{"name":"rotate-ssh-ca","of":"everybody","how":"publish","trustedForMs":0}',
      '{"name":"toString","email":"ada@example.com","how":"publish"}',
    ]) {
      assert.equal(readCommand(line), undefined, line)
    }
  })
})
