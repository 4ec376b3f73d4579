import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { Email, normalizeEmail } from '../../../src/identity/users/email-address.ts'

describe('an email address', () => {
  test('is accepted in all common forms', () => {
    for (const address of [
      'ada@example.com',
      'Ada.Lovelace+latchkey@mail.example.co.uk',
      "o'brien@example.com",
      'a@b',
      'x_-%~!#$&*=?^{}|/`@example.com',
      'jürgen@bücher.example',
      '用户@例子.世界',
      `${'a'.repeat(64)}@${'b'.repeat(189)}`,
    ]) {
      assert.ok(Check(Email, address), address)
    }
  })

  test('must have one @ between two parts that are not too long', () => {
    for (const address of [
      '',
      '@',
      'ada',
      'ada@',
      '@example.com',
      'ada@example@com',
      'ada@@example.com',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(190)}`,
      `${'a'.repeat(64)}@${'b'.repeat(190)}`,
    ]) {
      assert.ok(!Check(Email, address), address)
    }
  })

  test('must not contain characters that have a meaning in mail headers or for mail servers', () => {
    const others = [' ', '\t', '\r\n', '\n', '\0', '\u001f', '\u007f', '\u00a0', '\u2028', '<', '>', '(', ')', '[', ']']
    for (const character of [...others, ',', ';', ':', '\\', '"']) {
      for (const address of [
        `a${character}da@example.com`,
        `ada@exam${character}ple.com`,
        `ada@example.com${character}`,
      ]) {
        assert.ok(!Check(Email, address), JSON.stringify(address))
      }
    }
    assert.ok(!Check(Email, 'ada@example.com\r\nBcc: eve@example.com'))
  })

  test('is normalized to lower case', () => {
    assert.equal(normalizeEmail('Ada@EXAMPLE.com'), 'ada@example.com')
    assert.equal(normalizeEmail('JÜRGEN@example.com'), 'jürgen@example.com')
  })

  test('is normalized to composed characters', () => {
    assert.equal(normalizeEmail('ju\u0308rgen@example.com'), normalizeEmail('j\u00fcrgen@example.com'))
    // There is a composed ǰ, but no composed capital one: composing must come after lowering the case.
    assert.equal(normalizeEmail('J\u030cirka@example.com'), normalizeEmail('\u01f0irka@example.com'))
    const codes = fc.array(fc.integer({ min: 1, max: 0xffff }), { maxLength: 12 })
    const text = codes.map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(text, (address) => {
        const normalized = normalizeEmail(address)
        assert.equal(normalizeEmail(normalized), normalized)
        assert.equal(normalizeEmail(address.normalize('NFD')), normalized)
        assert.equal(normalizeEmail(address.normalize('NFC')), normalized)
      }),
      { numRuns: 1000 },
    )
  })
})
