import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  isReservedUsername,
  USERNAME_PATTERN,
  usernameFromEmail,
  withSuffix,
} from '../../../src/identity/users/usernames.ts'

const PATTERN = new RegExp(USERNAME_PATTERN)

describe('a username derived from an email address', () => {
  test('is the part before the @, in lower case and without a tag', () => {
    assert.equal(usernameFromEmail('Ada@example.com'), 'ada')
    assert.equal(usernameFromEmail('ada+latchkey+2@example.com'), 'ada')
    assert.equal(usernameFromEmail('ada_l-2@example.com'), 'ada_l-2')
  })

  test('has a dash in place of characters that a UNIX account name can’t have', () => {
    assert.equal(usernameFromEmail('ada.lovelace@example.com'), 'ada-lovelace')
    assert.equal(usernameFromEmail("d'arcy!!o@example.com"), 'd-arcy-o')
    assert.equal(usernameFromEmail('.ada.@example.com'), 'ada')
    assert.equal(usernameFromEmail('jürgen@example.com'), 'j-rgen')
  })

  test('begins with a letter, even if no character of the address can be used', () => {
    assert.equal(usernameFromEmail('007@example.com'), 'u007')
    assert.equal(usernameFromEmail('用户@example.com'), 'u')
    assert.equal(usernameFromEmail('+tag@example.com'), 'u')
  })

  test('is truncated to 32 characters', () => {
    assert.equal(usernameFromEmail(`${'a'.repeat(64)}@example.com`), 'a'.repeat(32))
    assert.equal(usernameFromEmail(`${'1'.repeat(64)}@example.com`), `u${'1'.repeat(31)}`)
  })

  test('is a valid UNIX account name for any address, with or without a number', () => {
    const codes = fc.array(fc.integer({ min: 1, max: 0x17f }), { maxLength: 64 })
    fc.assert(
      fc.property(codes, fc.integer({ min: 1, max: 999_999 }), (units, number) => {
        const email = `${String.fromCharCode(...units)}@example.com`
        assert.match(withSuffix(usernameFromEmail(email), number), PATTERN)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the number after a username', () => {
  test('begins at two', () => {
    assert.equal(withSuffix('ada', 1), 'ada')
    assert.equal(withSuffix('ada', 2), 'ada-2')
    assert.equal(withSuffix('ada', 999_999), 'ada-999999')
  })

  test('shortens the name so that both fit, and different numbers give different names', () => {
    const long = 'a'.repeat(32)
    assert.equal(withSuffix(long, 1), long)
    assert.equal(withSuffix(long, 2), `${'a'.repeat(30)}-2`)
    assert.equal(withSuffix(long, 123_456), `${'a'.repeat(25)}-123456`)
  })
})

describe('reserved usernames', () => {
  test('are those of system accounts, of cloud images and of services', () => {
    for (const name of [
      'root',
      'admin',
      'www-data',
      'sshd',
      '_apt',
      'ubuntu',
      'ec2-user',
      'postgres',
      'git',
      'latchkey',
    ]) {
      assert.ok(isReservedUsername(name), name)
    }
    for (const name of ['ada', 'roots', 'root-2', '', 'constructor', '__proto__'])
      assert.ok(!isReservedUsername(name), name)
  })
})

describe('the pattern of usernames', () => {
  test('accepts exactly the names that useradd accepts', () => {
    for (const name of ['a', '_a', 'a-b_c9', 'a'.repeat(32)]) assert.match(name, PATTERN)
    for (const name of ['', '-a', '9a', 'A', 'a.b', 'a b', 'ä', 'a\n', 'a'.repeat(33), 'a$']) {
      assert.doesNotMatch(name, PATTERN, JSON.stringify(name))
    }
  })
})
