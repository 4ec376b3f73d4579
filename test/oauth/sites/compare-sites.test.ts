import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Admission, findSiteEscalation } from '../../../src/oauth/sites/compare-sites.ts'
import { compileRules, evaluateRules, meetsDemands } from '../../../src/oauth/sites/evaluate-rules.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'
import { assertWithin } from '../../support/speed.ts'

const MINE = 'mine'
const HELD = new Set([MINE])
const OTHERS: Admission = { allowedRoles: ['theirs'], rules: [], headers: {}, disabled: false }
const gain = (before: Partial<Admission>, after: Partial<Admission>) =>
  findSiteEscalation({ ...OTHERS, ...before }, { ...OTHERS, ...after }, HELD)

const PATHS = ['/', '/*', '/a', '/A', '/a/', '/a/*', '/A/*', '/a/b', '/a/B/*', '/a/b/*', '/ab', '/ſ/*', '/S/*', '/c;x']
const ruleOf = fc.record(
  {
    path: fc.constantFrom(...PATHS),
    methods: fc.constantFrom<string[]>(['GET'], ['POST'], ['GET', 'POST'], ['HEAD']),
    policy: fc.constantFrom('bypass', 'deny', 'mine', 'theirs'),
  },
  { requiredKeys: ['path', 'policy'] },
)
const rules = fc
  .array(ruleOf, { maxLength: 6 })
  .map((list) =>
    list.map(({ policy, ...rule }): SiteRule =>
      policy === 'mine' || policy === 'theirs' ? { ...rule, policy: 'roles', roles: [policy] } : { ...rule, policy },
    ),
  )
const admission: fc.Arbitrary<Admission> = fc.record({
  allowedRoles: fc.constantFrom(null, [], [MINE], ['theirs']),
  rules,
  headers: fc.constant({}),
  disabled: fc.constantFrom(false, false, false, true),
})
const SEGMENTS = ['', 'a', 'A', 'b', 'ab', '%61', '%2F', '..', ';x', 'c;x', 's', '%C5%BF']
const ADDRESSES = [
  ...SEGMENTS.map((one) => `/${one}`),
  ...SEGMENTS.flatMap((one) => SEGMENTS.map((two) => `/${one}/${two}`)),
  '/a/b/x',
  '/a/B/x',
  '/A/b/x/',
  '/a/b/../x',
]

/** Two sites that have nothing to do with each other, or a site and what becomes of it by one edit of its rules. */
const change = fc.oneof(
  fc.record({ before: admission, after: admission }),
  fc
    .record({ before: admission, at: fc.nat(6), dropped: fc.nat(1), added: rules })
    .map(({ before, at, dropped, added }) => ({
      before,
      after: { ...before, rules: before.rules.toSpliced(at, dropped, ...added.slice(0, 1)) },
    })),
)

/** What a visit is by the functions that decide about real ones. */
function visitsTo({ allowedRoles, rules: list, disabled }: Admission): (method: string, path: string) => number {
  const compiled = compileRules(list)
  const isAdmitted = allowedRoles === null || allowedRoles.includes(MINE)
  return (method, path) => {
    const verdict = evaluateRules(compiled, { method, path })
    if (!verdict || verdict.isDenied || disabled) return 0
    if (verdict.demands.length === 0) return isAdmitted ? 2 : 1
    return meetsDemands(verdict, { roleIds: [MINE], isAdmitted }) ? 2 : 0
  }
}

const nameOf = (number: number): string =>
  `M${String.fromCharCode(
    ...String(number)
      .split('')
      .map((digit) => 65 + Number(digit)),
  )}`
const methodsFrom = (first: number, count = 50): string[] =>
  Array.from({ length: count }, (_, at) => nameOf(first + at))
const hundred = (ruleAt: (at: number) => SiteRule) => Array.from({ length: 100 }, (_, at) => ruleAt(at))
const deep = (at: number) => `/${'a/'.repeat(at + 1)}*`
const policyAt = (at: number): Pick<SiteRule, 'policy' | 'roles'> =>
  at % 2 === 0 ? { policy: 'bypass' } : { policy: 'roles', roles: [MINE] }

/** Legal lists of rules that are long to compare: each rule decides about a part of what the others match. */
const LONG_LISTS: Record<string, SiteRule[]> = {
  'all methods but one': hundred((at) => ({
    path: '/*',
    policy: 'bypass',
    methods: methodsFrom(0).toSpliced(at % 50, 1),
  })),
  'methods of its own': hundred((at) => ({ path: deep(at), ...policyAt(at), methods: methodsFrom(at * 50) })),
  'methods that few others have': hundred((at) => ({
    path: deep((at * 37) % 100),
    ...policyAt(at),
    methods: methodsFrom((at >> 2) * 50),
  })),
  'the same methods': hundred((at) => ({ path: deep(at), ...policyAt(at), methods: methodsFrom(at % 2) })),
  'all methods': hundred((at) => ({ path: deep(at), ...policyAt(at) })),
}

describe('comparing the rules of a site before and after a change', () => {
  test('finds every address at which somebody is let in or named who was not before', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const [visitBefore, visitAfter] = [visitsTo(before), visitsTo(after)]
        for (const method of ['GET', 'HEAD', 'POST', 'PUT'])
          for (const path of ADDRESSES) {
            const [was, is] = [visitBefore(method, path), visitAfter(method, path)]
            if (is <= was) continue
            const found = findSiteEscalation(before, after, HELD)
            assert.ok(found !== undefined, `${method} ${path}`)
            if (was === 0) assert.equal(found, 'admitted', `${method} ${path}`)
            return
          }
      }),
      { numRuns: 250, seed: 37 },
    )
  })

  test('finds nothing in what stays, and nothing in a rule that closes', () => {
    fc.assert(
      fc.property(admission, rules, fc.nat(6), (site, more, at) => {
        assert.equal(findSiteEscalation(site, site, HELD), undefined)
        const closing = more.map(({ path }): SiteRule => ({ path, policy: 'deny' }))
        const after = { ...site, rules: site.rules.toSpliced(at, 0, ...closing) }
        assert.equal(findSiteEscalation(site, after, HELD), undefined)
        assert.equal(findSiteEscalation(site, { ...site, disabled: true }, HELD), undefined)
      }),
      { numRuns: 1000, seed: 37 },
    )
  })

  test('takes a lesser demand of sign-ins for a gain, where somebody is let in by name', () => {
    const [strong, recent] = [{ requiredAcr: 'phr' }, { maxAuthAge: 60 }] as const
    for (const [before, after] of [
      [strong, {}],
      [strong, { requiredAcr: '2' }],
      [{ requiredAcr: '2' }, { requiredAcr: null, maxAuthAge: 60 }],
      [recent, {}],
      [recent, { maxAuthAge: 61 }],
      [{ ...strong, ...recent }, strong],
    ] as const) {
      const open = { allowedRoles: [MINE] }
      assert.equal(gain({ ...open, ...before }, { ...open, ...after }), 'admitted', JSON.stringify([before, after]))
      assert.equal(gain(before, after), undefined)
      assert.equal(gain({ ...open, ...before }, { ...open, ...before }), undefined)
    }
    assert.equal(gain({ allowedRoles: [MINE] }, { allowedRoles: [MINE], ...strong, ...recent }), undefined)
    assert.equal(gain({ allowedRoles: [MINE], requiredAcr: '1' }, { allowedRoles: [MINE] }), undefined, 'every sign-in')
    const open: SiteRule = { path: '/open/*', policy: 'bypass' }
    assert.equal(gain({ rules: [open], ...strong }, { rules: [open] }), undefined, 'where nobody is named')
    const mine = { allowedRoles: [MINE] }
    assert.equal(gain(mine, { ...mine, rules: [open] }), undefined)
    assert.equal(gain({ ...mine, ...strong }, { ...mine, ...strong, rules: [open] }), 'admitted', 'without any sign-in')
  })

  test('sees what rules mean, and not how they are written', () => {
    const open: SiteRule = { path: '/open/*', policy: 'bypass' }
    const all: SiteRule = { path: '/*', policy: 'bypass' }
    const deny: SiteRule = { path: '/open/no', policy: 'deny' }
    assert.equal(gain({ rules: [open] }, { rules: [open, { path: '/open/x', policy: 'bypass' }] }), undefined)
    assert.equal(gain({ rules: [all] }, { rules: [open, all] }), undefined)
    assert.equal(gain({ rules: [deny, open] }, { rules: [open, deny] }), 'admitted')
    assert.equal(gain({ rules: [deny, open] }, { rules: [deny, { ...deny, path: '/*' }, open] }), undefined)
    assert.equal(gain({ rules: [open] }, { rules: [{ ...open, path: '/Open/*' }] }), 'admitted', 'another case')
    assert.equal(gain({ rules: [open] }, { allowedRoles: [MINE], rules: [open] }), 'admitted')
    const closed: SiteRule[] = [open, { path: '/*', policy: 'deny' }]
    assert.equal(gain({ rules: closed }, { allowedRoles: [MINE], rules: closed }), 'named')
    assert.equal(gain({ allowedRoles: null }, { allowedRoles: [MINE], rules: [open] }), undefined)
    assert.equal(gain({ allowedRoles: null, disabled: true }, { allowedRoles: null }), 'admitted')
    assert.equal(gain({ disabled: true }, {}), undefined)
  })

  test('finds nothing in rules that are joined or divided', () => {
    const opening = (...methods: string[]): SiteRule => ({ path: '/a', methods, policy: 'bypass' })
    assert.equal(gain({ rules: [opening('GET'), opening('POST')] }, { rules: [opening('GET', 'POST')] }), undefined)
    assert.equal(gain({ rules: [opening('GET', 'POST')] }, { rules: [opening('POST'), opening('GET')] }), undefined)
    assert.equal(gain({ rules: [opening('GET')] }, { rules: [opening('GET', 'POST')] }), 'admitted')
    const closing = (...methods: string[]): SiteRule => ({ path: '/a/*', methods, policy: 'deny' })
    const open: SiteRule = { path: '/*', policy: 'bypass' }
    const divided = [closing('GET'), closing('POST'), open]
    assert.equal(gain({ rules: [closing('GET', 'POST'), open] }, { rules: divided }), undefined)
    assert.equal(gain({ rules: divided }, { rules: [closing('GET'), open] }), 'admitted')
  })

  test('knows that a rule which opens every path matches it in every case', () => {
    const all: SiteRule = { path: '/*', policy: 'bypass' }
    const deny: SiteRule = { path: '/a', policy: 'deny' }
    const own: SiteRule = { path: '/a', policy: 'roles', roles: [MINE] }
    assert.equal(gain({ rules: [all, deny] }, { rules: [all, own] }), undefined)
    assert.equal(gain({ rules: [deny, all] }, { rules: [own, all] }), 'admitted')
    assert.equal(gain({ rules: [deny, all] }, { rules: [all] }), 'admitted')
  })

  test('sees which header says what, where somebody is named', () => {
    const site = { allowedRoles: null }
    assert.equal(gain(site, { ...site, headers: { user: null, name: 'remote-user' } }), 'named')
    assert.equal(gain(site, { ...site, headers: { user: 'Remote-User' } }), undefined, 'the same as without it')
    assert.equal(gain({}, { headers: { user: 'X-User' } }), undefined, 'nobody is named')
  })

  test('takes a moment for two lists of a hundred rules', () => {
    const list = (policy: 'deny' | 'bypass') =>
      Array.from({ length: 100 }, (_, at): SiteRule => ({ path: `/${'x/'.repeat(100 - at)}*`, policy }))
    assert.equal(gain({ rules: list('bypass') }, { rules: list('bypass').toReversed() }), undefined)
    assert.equal(gain({ rules: list('deny') }, { rules: list('bypass') }), 'admitted')
  })

  test('takes a moment also where each of a hundred rules has fifty methods', () => {
    for (const [what, list] of Object.entries(LONG_LISTS)) {
      const started = performance.now()
      gain({ rules: list }, { rules: list, allowedRoles: [MINE] })
      gain({ rules: list }, { rules: list.toReversed() })
      assertWithin(100, performance.now() - started, what)
    }
  })
})
