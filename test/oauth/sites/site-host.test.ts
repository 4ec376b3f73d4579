import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, originOf, parseHost, readHost } from '../../../src/oauth/sites/site-host.ts'

test('a host is a DNS name in lower case with an optional port, in one form', () => {
  const cases: Record<string, string> = {
    'wiki.example.com': 'wiki.example.com',
    nas: 'nas',
    'wiki.example.com:443': 'wiki.example.com',
    'wiki.example.com:8443': 'wiki.example.com:8443',
    'xn--bcher-kva.example': 'xn--bcher-kva.example',
    '1password.example': '1password.example',
  }
  for (const [given, stored] of Object.entries(cases)) assert.equal(parseHost(given), stored)
})

test('whatever is not exactly such a name is none', () => {
  for (const host of [
    '',
    'Wiki.example.com',
    'wiki.example.com.',
    '.example.com',
    'a..b',
    'https://wiki.example.com',
    'wiki.example.com/',
    '*.example.com',
    'user@wiki.example.com',
    'wiki.example.com:',
    'wiki.example.com:0',
    'wiki.example.com:0443',
    'wiki.example.com:65536',
    'wiki.example.com:80:80',
    'wiki.example.com, other.example.com',
    'wiki example.com',
    'bücher.example',
    'xn--zzzzzz-.example',
    '10.0.0.1',
    '127.1',
    'example.1',
    'example.0x7f',
    '[::1]',
    '::1',
    '-a.example',
    'a_b.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'wiki.example.com\n',
    'wiki.example.com%00',
  ])
    assert.equal(parseHost(host), undefined, host)
})

test('capitals of a host that somebody writes are lowered, and an international name becomes its A-labels', () => {
  const cases: Record<string, string> = {
    'Wiki.Example.com:8443': 'wiki.example.com:8443',
    'bücher.example': 'xn--bcher-kva.example',
    'BÜCHER.example:443': 'xn--bcher-kva.example',
    'straße.example': 'xn--strae-oqa.example',
    '例え。テスト': 'xn--r8jz45g.xn--zckzah',
  }
  for (const [given, stored] of Object.entries(cases)) assert.equal(readHost(given), stored, given)
  for (const host of [
    '',
    'wiki.example.com.',
    'https://bücher.example',
    'büc her.example',
    'b%C3%BCcher.example',
    '*.bücher.example',
    'user@bücher.example',
    'bücher.example/',
    'bücher.example:0',
    '１２７.0.0.1',
    'xn--zzzzzz-.example',
    'a\u00adb_c.example',
  ])
    assert.equal(readHost(host), undefined, host)
})

test('a host has an origin, and a name without its port', () => {
  assert.equal(originOf('wiki.example.com:8443'), 'https://wiki.example.com:8443')
  assert.equal(nameOf('wiki.example.com:8443'), 'wiki.example.com')
  assert.equal(nameOf('wiki.example.com'), 'wiki.example.com')
})
