import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileRules, judgeAddress, meetsDemands } from '../../src/sites/judge-address.ts'
import { readingsOf } from '../../src/sites/path-readings.ts'
import type { SiteRule } from '../../src/sites/site-rule.ts'

const OPEN_PUBLIC: SiteRule[] = [
  { path: '/public/*', policy: 'bypass' },
  { path: '/health', methods: ['GET'], policy: 'bypass' },
]

const judge = (rules: SiteRule[], path: string, method = 'GET') => judgeAddress(compileRules(rules), { method, path })

/** Whether somebody who is not signed in gets there. */
const isOpen = (rules: SiteRule[], path: string, method = 'GET') => {
  const verdict = judge(rules, path, method)
  return verdict !== undefined && !verdict.isDenied && verdict.demands.length === 0
}

/** Each leads out of /public in some server or framework. */
const TRICKS: Record<string, string> = {
  'dot segments': '/public/../admin',
  'encoded dots': '/public/%2e%2e/admin',
  'one encoded dot': '/public/.%2e/admin',
  'an encoded slash': '/public/..%2fadmin',
  'everything encoded': '/public/%2e%2e%2fadmin',
  'double encoding': '/public/%252e%252e%252fadmin',
  'triple encoding': '/public/%25252e%25252e%25252fadmin',
  'a mixture of encodings': '/public/%2e%252e/admin',
  'a backslash': '/public\\..\\admin',
  'an encoded backslash': '/public/..%5cadmin',
  'path parameters': '/public/..;/admin',
  'path parameters with a value': '/public/..;jsessionid=1/admin',
  'encoded path parameters': '/public/..%3b/admin',
  'a parameter that hides a slash': '/public/;%2f..%2f..%2fadmin',
  'double slashes before dots': '/public//../../admin',
  'an encoded question mark': '/public/..%2fadmin%3f',
  'a plain per cent sign before an encoding': '/public/%25zz/%252e%252e/%252e%252e/admin',
  'two steps up': '/public/a/../../admin',
}

describe('the readings of a path', () => {
  for (const [trick, path] of Object.entries(TRICKS)) {
    test(`leaving what a bypass rule opens by ${trick} is noticed`, () => {
      assert.equal(isOpen(OPEN_PUBLIC, path), false, path)
      assert.equal(
        isOpen([{ path: '/admin/*', policy: 'deny' }, ...OPEN_PUBLIC, { path: '/*', policy: 'bypass' }], path),
        false,
      )
    })
  }

  test('a path with one meaning is read once, and an ordinary escape does not close what is open', () => {
    assert.deepEqual(readingsOf('/public/a-b_c.d~e,f/'), ['/public/a-b_c.d~e,f/'])
    for (const path of [
      '/public/',
      '/public/x',
      '/public/a%20b',
      '/public/100%25',
      '/public/caf%C3%A9',
      '/public/a;v=1',
    ])
      assert.ok(isOpen(OPEN_PUBLIC, path), path)
    assert.ok(isOpen(OPEN_PUBLIC, '/health'))
    assert.ok(isOpen(OPEN_PUBLIC, '/health', 'HEAD'))
  })

  test('invalid escapes, control characters, overlong forms and what no URL has are refused whatever the rules are', () => {
    for (const path of [
      '/public/%',
      '/public/%zz',
      '/public/%0',
      '/public/%00',
      '/public/a%0d%0ab',
      '/public/%2500',
      '/public/%25250a',
      '/public/%c0%ae%c0%ae/admin',
      '/public/%ff',
      '/public/%25c0%25af',
      '/public/%C2%85',
      '/public/ü',
      '/public/a b',
      '/public/#/../admin',
      'public',
      '',
      '*',
    ])
      assert.equal(judge([{ path: '/*', policy: 'bypass' }], path), undefined, path)
  })

  test('every reading of every path is among its readings, however the steps are ordered', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '%3b',
      ';x',
      '\\',
      '%252e',
      '%25',
      '%20',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const readings = readingsOf(`/${pieces.join('')}`)
        for (const reading of readings ?? []) {
          assert.ok(reading.startsWith('/'))
          for (const next of [
            reading.replaceAll('\\', '/'),
            reading.replaceAll(/\/{2,}/g, '/'),
            reading.replaceAll(/;[^/]*/g, ''),
          ])
            assert.ok(readings?.includes(next.startsWith('/') ? next : `/${next}`), next)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('rules', () => {
  test('a bypass rule matches exactly what it says', () => {
    for (const path of [
      '/public',
      '/publicity',
      '/Public/x',
      '/PUBLIC/',
      '/x/public/',
      '/health/',
      '/Health',
      '/health.',
    ])
      assert.equal(isOpen(OPEN_PUBLIC, path), false, path)
    assert.equal(isOpen(OPEN_PUBLIC, '/health', 'POST'), false)
    assert.equal(isOpen(OPEN_PUBLIC, '/health', 'OPTIONS'), false)
    assert.ok(isOpen([{ path: '/*', policy: 'bypass' }], '/'))
  })

  test('a rule that closes also closes what an application might take for the same', () => {
    const rules: SiteRule[] = [
      { path: '/admin/*', policy: 'deny' },
      { path: '/secret', policy: 'deny' },
      { path: '/*', policy: 'bypass' },
    ]
    for (const path of [
      '/admin',
      '/admin/',
      '/ADMIN/x',
      '/%61dmin',
      '/secret',
      '/secret/',
      '/Secret',
      '/ſecret',
      '/%C5%BFecret',
      '//admin',
      '/./admin',
    ])
      assert.equal(isOpen(rules, path), false, path)
    for (const path of ['/administrator', '/secrets', '/']) assert.ok(isOpen(rules, path), path)
  })

  test('the first rule that matches decides, and the strictest of all readings holds', () => {
    const rules: SiteRule[] = [
      { path: '/api/open', policy: 'bypass' },
      { path: '/api/*', policy: 'roles', roles: ['editors'] },
      { path: '/api/closed', policy: 'deny' },
    ]
    assert.deepEqual(judge(rules, '/api/open'), { isDenied: false, demands: [], rule: 0 })
    assert.equal(judge(rules, '/api/closed')?.rule, 1)
    assert.equal(judge(rules, '/else')?.rule, null)
    const both = judge(rules, '/else/..%2fapi/x')
    assert.ok(both)
    const editor = { roleIds: ['editors'], isAdmitted: false }
    assert.equal(meetsDemands(both, editor), false)
    assert.ok(meetsDemands(both, { ...editor, isAdmitted: true }))
    assert.equal(meetsDemands(both, { roleIds: [], isAdmitted: true }), false)
    assert.equal(meetsDemands({ demands: [new Set()] }, editor), false)
  })

  test('the paths of this service never reach the application, under any rule and in any writing', () => {
    for (const path of [
      '/.latchkey',
      '/.latchkey/',
      '/.latchkey/x',
      '/.Latchkey/login',
      '/%2elatchkey/login',
      '/a/..%2f.latchkey/x',
      '//.latchkey/x',
    ])
      assert.equal(judge([{ path: '/*', policy: 'bypass' }], path), undefined, path)
  })
})
