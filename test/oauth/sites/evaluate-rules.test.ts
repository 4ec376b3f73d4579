import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { meetsDemands } from '../../../src/oauth/sites/evaluate-rules.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'
import { OPEN_PUBLIC, evaluate, isOpen } from './rule-verdicts.ts'

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
    for (const path of ['/a%20b', '/a+b', '/A%2Bb/'])
      assert.equal(isOpen([{ path: '/a b', policy: 'deny' }, ...rules], path), false, path)
    for (const path of ['/administrator', '/secrets', '/']) assert.ok(isOpen(rules, path), path)
  })

  test('the first rule that matches decides, and the strictest of all interpretations holds', () => {
    const rules: SiteRule[] = [
      { path: '/api/open', policy: 'bypass' },
      { path: '/api/*', policy: 'roles', roles: ['editors'] },
      { path: '/api/closed', policy: 'deny' },
    ]
    assert.deepEqual(evaluate(rules, '/api/open'), { isDenied: false, demands: [], rule: 0 })
    assert.equal(evaluate(rules, '/api/closed')?.rule, 1)
    assert.equal(evaluate(rules, '/else')?.rule, null)
    const both = evaluate(rules, '/else/..%2fapi/x')
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
      assert.equal(evaluate([{ path: '/*', policy: 'bypass' }], path), undefined, path)
  })
})
