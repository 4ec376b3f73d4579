import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { compileRules, evaluateRules, meetsDemands } from '../../../src/oauth/sites/evaluate-rules.ts'
import {
  MAX_DECODINGS,
  MAX_INTERPRETATIONS,
  interpretationsOf,
  takeStep,
} from '../../../src/oauth/sites/path-interpretations.ts'
import { DECODINGS, STEPS } from '../../../src/oauth/sites/path-steps.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'
import { assertWithin, testSpeed } from '../../support/speed.ts'

const OPEN_PUBLIC: SiteRule[] = [
  { path: '/public/*', policy: 'bypass' },
  { path: '/health', methods: ['GET'], policy: 'bypass' },
]

const evaluate = (rules: SiteRule[], path: string, method = 'GET') =>
  evaluateRules(compileRules(rules), { method, path })

/** Whether somebody who is not signed in gets there. */
const isOpen = (rules: SiteRule[], path: string, method = 'GET') => {
  const verdict = evaluate(rules, path, method)
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
  'encoded dots behind a segment with an encoded slash': '/public/x%2fy/%2e%2e/%2e%2e/admin',
  'the same in capitals': '/public/x%2Fy/%2E%2E/.%2E/admin',
  'the same, twice encoded': '/public/x%252fy/%252e%252e/%252e%252e/admin',
  'the same, the dots twice encoded': '/public/x%2fy/%252e%252e/%252e%252e/admin',
  'the same, the slash twice encoded': '/public/x%252fy/%2e%2e/%2e%2e/admin',
  'encoded parameters that hide an encoded slash': '/public/a/..%3bx%2fy/..%3b/admin',
  'encoded dots behind a segment with an encoded backslash': '/public/x%5cy/%2e%2e/%2e%2e/admin',
  'encoded dots behind a segment with an encoded per cent sign': '/public/x%25y%2f/%2e%2e/%2e%2e/admin',
}

/** What makes a parser of URLs take the first segment for the name of a host. Each leads into /admin. */
const HOSTS: Record<string, string> = {
  'two slashes': '//x/admin/x',
  'many slashes': '////x/admin/x',
  'a slash and a backslash': '/\\x/admin/x',
  'an encoded slash': '/%2fx/admin/x',
  'an encoded backslash': '/%5cx/admin/x',
  'a slash encoded twice': '/%252fx/admin/x',
  'slashes that dots leave at the beginning': '/y/..//x/admin/x',
  'two slashes, with a backslash behind the host': '//x\\admin\\x',
  'two slashes, with a port and dots': '//x:80/y/../admin',
}

/** Paths that applications really use. */
const ORDINARY = [
  '/',
  '/api/v4/projects/group%2Fsub%2Fproject/repository/files/src%2Fmain%2Ejs/raw',
  '/api/v4/projects/my%20group%2Fproject/issues',
  '/@types%2fnode',
  '/@scope%2Fpackage/-/package-1.0.0.tgz',
  '/v2/library/alpine/manifests/sha256:abc',
  '/bucket/photos%2F2024%2F100%25%20sure%2B1.jpg',
  '/bucket/a//b///c.txt',
  '/bucket/folder%2F%2Fkey%20with%20spaces',
  '/wiki/C%2B%2B;v=2/%C3%9Cbersicht',
  '/calendars/me%40example.com/1F2E%2DA.ics',
  '/proxy/https%3A%2F%2Fexample.com%2Fa%20b%3Fc=d',
  '/browse/https://example.com/a%20b',
  '/files/Caf%C3%A9%20(final)..%20draft.pdf',
  '/a/./b/../c',
]

describe('the interpretations of a path', () => {
  for (const [trick, path] of Object.entries(TRICKS)) {
    test(`leaving what a bypass rule opens by ${trick} is noticed`, () => {
      assert.equal(isOpen(OPEN_PUBLIC, path), false, path)
      assert.equal(
        isOpen([{ path: '/admin/*', policy: 'deny' }, ...OPEN_PUBLIC, { path: '/*', policy: 'bypass' }], path),
        false,
      )
    })
  }

  for (const [trick, path] of Object.entries(HOSTS)) {
    test(`entering what a rule closes behind ${trick} is noticed`, () => {
      for (const rule of [{ policy: 'deny' }, { policy: 'roles', roles: ['editors'] }] as const)
        assert.equal(isOpen([{ path: '/admin/*', ...rule } as SiteRule, { path: '/*', policy: 'bypass' }], path), false)
    })
  }

  test('ordinary paths have few interpretations', () => {
    for (const path of ORDINARY) {
      const length = interpretationsOf(path)?.length ?? Infinity
      assert.ok(length <= MAX_INTERPRETATIONS / 2, `${path} has ${length}`)
    }
    // The most that is in use: a whole address, encoded in an encoded one.
    assert.ok(interpretationsOf('/proxy/https%3A%2F%2Fexample.com%2F%3Fto%3Dhttps%253A%252F%252Fexample.net%252Fa'))
  })

  test('a path with one meaning is read once, and an ordinary escape does not close what is open', () => {
    assert.deepEqual(interpretationsOf('/public/a-b_c.d~e,f/'), ['/public/a-b_c.d~e,f/'])
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
      '/public/%u002e%u002e/admin',
      '/public/%25u002e%25U002E/admin',
      '/public/%2525u002e/admin',
      '/public/%09/admin',
      '/public/\t/admin',
      'public',
      '',
      '*',
    ])
      assert.equal(evaluate([{ path: '/*', policy: 'bypass' }], path), undefined, path)
  })

  test(`every combination of steps is read, however they are ordered, and a path with more than ${MAX_INTERPRETATIONS} interpretations is refused`, () => {
    let refused = 0
    fc.assert(
      fc.property(trickyPath, (path) => {
        const expected = interpretationsByDefinition(path)
        const interpretations = interpretationsOf(path)
        if (!interpretations) refused++
        const isAllowed = expected !== undefined && expected.size <= MAX_INTERPRETATIONS
        assert.deepEqual(interpretations?.toSorted(), isAllowed ? [...expected].toSorted() : undefined)
      }),
      { numRuns: 3000, seed: 42 },
    )
    assert.ok(refused > 100 && refused < 2900, String(refused))
  })

  test('what a parser of URLs makes of a path is among its interpretations, also decoded and parsed again', () => {
    let compared = 0
    const check = (path: string) => {
      const interpretations = interpretationsOf(path)
      if (!interpretations) return
      for (const outside of interpretationsOutside(path)) {
        if (outside !== path) compared++
        assert.ok(interpretations.includes(outside), `${outside} is no interpretation of ${path}`)
      }
    }
    for (const path of [...Object.values(TRICKS), ...Object.values(HOSTS), ...ORDINARY]) check(path)
    fc.assert(fc.property(trickyPath, check), { numRuns: 10_000, seed: 42 })
    assert.ok(compared > 5000, String(compared))
  })

  test('the strictest verdict on any interpretation holds', () => {
    const rules: SiteRule[] = [
      { path: '/a/*', policy: 'bypass' },
      { path: '/B', policy: 'deny' },
      { path: '/', policy: 'roles', roles: ['editors'] },
      { path: '/a B/*', methods: ['GET'], policy: 'roles', roles: ['readers'] },
    ]
    const compiled = compileRules(rules)
    fc.assert(
      fc.property(trickyPath, fc.constantFrom('GET', 'POST'), (path, method) => {
        const verdict = evaluateRules(compiled, { method, path })
        if (!verdict) return
        for (const interpretation of interpretationsByDefinition(path) ?? []) {
          // Alone, and in a form that has no second interpretation.
          const at = rules.findIndex((rule) => isCovered(rule, method, interpretation))
          const rule = rules[at]
          if (rule?.policy === 'deny') assert.ok(verdict.isDenied, interpretation)
          else if (rule?.policy === 'roles')
            assert.ok(verdict.demands.some((demand) => demand?.has(rule.roles?.[0] ?? '')))
          else if (!rule) assert.ok(verdict.demands.includes(null), interpretation)
        }
      }),
      { numRuns: 3000, seed: 42 },
    )
  })

  test('a path of 4096 bytes is evaluated, and a longer one refused', () => {
    const path = `/public/${'a'.repeat(4088)}`
    assert.ok(isOpen(OPEN_PUBLIC, path))
    assert.equal(evaluate(OPEN_PUBLIC, `${path}a`), undefined)
  })
})

/** Steps and their orders as they are defined, without regard to what they cost. Undefined for what must not be let through. */
function interpretationsByDefinition(path: string): Set<string> | undefined {
  const found = new Map<string, number>()
  const waiting: [path: string, decodings: number][] = [[path, 0]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [interpretation, decodings] = next
    const known = found.get(interpretation)
    if (known !== undefined && known <= decodings) continue
    found.set(interpretation, decodings)
    for (const each of [
      interpretation.replaceAll('\\', '/'),
      interpretation.replaceAll(/;[^/]*/g, ''),
      interpretation.replaceAll(/\/{2,}/g, '/'),
      withoutDots(interpretation, /^\.$/, /^\.\.$/),
      withoutDots(interpretation, /^(\.|%2e)$/i, /^(\.|%2e){2}$/i),
      interpretation.replace(/[?#].*$/s, ''),
      interpretation.replace(/^\/{2,}[^/]*/, '') || '/',
    ])
      waiting.push([each, decodings])
    if (decodings === MAX_DECODINGS) continue
    if (/%u[0-9a-f]{4}/i.test(interpretation)) return undefined
    try {
      for (const escapes of [/(?:%[0-9a-f]{2})+/gi, /(?:%(?!2f)[0-9a-f]{2})+/gi]) {
        const decoded = interpretation.replaceAll(escapes, decodeURIComponent)
        // oxlint-disable-next-line no-control-regex
        if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(decoded)) return undefined
        waiting.push([decoded, decodings + 1])
      }
    } catch {
      return undefined
    }
  }
  return new Set(found.keys())
}

/** What an application gets that parses the path as a URL and decodes it, in any order. */
function interpretationsOutside(path: string, decodings = 0, found = new Set<string>()): Set<string> {
  found.add(path)
  // Other characters would be escaped by the parser.
  const parsed = /^[\x21-\x7e]*$/.test(path) ? URL.parse(path, 'http://host')?.pathname : undefined
  if (parsed !== undefined && !found.has(parsed)) interpretationsOutside(parsed, decodings, found)
  const isDecodable = path.includes('%') && !/%(?![0-9a-f]{2})/i.test(path)
  if (isDecodable && decodings < MAX_DECODINGS) interpretationsOutside(decodeURIComponent(path), decodings + 1, found)
  return found
}

/** RFC 3986 section 5.2.4. */
function withoutDots(path: string, here: RegExp, up: RegExp): string {
  const segments: string[] = []
  const given = path.slice(1).split('/')
  for (const [at, segment] of given.entries()) {
    if (up.test(segment)) segments.pop()
    if (!up.test(segment) && !here.test(segment)) segments.push(segment)
    else if (at === given.length - 1) segments.push('')
  }
  return `/${segments.join('/')}`
}

/** Whether a rule covers one interpretation, as the rules are described. */
function isCovered({ path: rule, methods, policy }: SiteRule, method: string, interpretation: string): boolean {
  if (methods && !methods.includes(method)) return false
  const isOfTree = rule.endsWith('/*')
  if (policy === 'bypass') return isOfTree ? interpretation.startsWith(rule.slice(0, -1)) : interpretation === rule
  const wide = `${interpretation.replace(/\/$/, '').replaceAll('+', ' ')}/`.toLowerCase()
  const start = `${rule.replace(/\/\*?$/, '')}/`.toLowerCase()
  return isOfTree ? wide.startsWith(start) : wide === start
}

const PIECES =
  'a B / // . .. %2e %2f %5c %3b ;x \\ %252e %25 %20 ? %3f %23 %2525 %25252f %C3%9F %25C3%25A9 %E2%82%AC %c3 %0a %C2%85 %E2%80%A8 ab %2e%2e /%2E %2F %252f %25u002e +'
const trickyPath = fc
  .array(fc.constantFrom(...PIECES.split(' ')), { maxLength: 8 })
  .map((pieces) => `/${pieces.join('')}`)
  .filter((path) => !/%(?![0-9a-f]{2})/i.test(path))

/** The most that a path may consist of, repeated to the greatest length. Some of these took a fifth of a second with 20 rules. */
const longPaths = fc
  .tuple(trickyPath, trickyPath)
  .map(([head, piece]) => head + piece.repeat(Math.floor((4096 - head.length) / piece.length)))
/** What a hundred rules begin with. */
const START = `/${'a'.repeat(480)}b`
const LONG_PATHS = [
  [START, '%252525/./'],
  [START, '%252525\\'],
  [`${START}%2f%252e`, ';/'],
  ['/%2F//x', '/%2e%2E/%252f'],
  ['/x%252fy', '/%252e%252e'],
  ['/..;\\%3b%5c', '%2e%2e%2f//'],
  ['/.;/\\%C3%9F', '\\\\//'],
  ['/a;', '/x%25x/./'],
  ['/%5c%252541%EF%AC%83', '%C3%9F%255c'],
  ['/', '/../'],
  ['/', '%25252f'],
  ['/', ';'],
  ['/a', '\\'],
].map(([head = '', piece = '']) => head + piece.repeat(Math.floor((4096 - head.length) / piece.length)))
const hundredRules = (policy: SiteRule['policy']) =>
  compileRules(Array.from({ length: 100 }, (_, at): SiteRule => ({ path: `${START}${at}/*`, policy })))
const HUNDRED_RULES = hundredRules('deny')

describe('what judging costs', () => {
  /** Counts the bytes that steps read, and the characters that are folded, while it evaluates. */
  function countWork(t: TestContext, path: string): { read: number; folded: number; compared: number } {
    const work = { read: 0, folded: 0, compared: 0 }
    interpretationsOf(path, (step, interpretation) => {
      work.read += interpretation.length
      return takeStep(step, interpretation)
    })
    const upper = t.mock.method(String.prototype, 'toUpperCase', function (this: string) {
      work.folded += this.length
      return this.toLowerCase().toLocaleUpperCase('en')
    })
    const rules = HUNDRED_RULES.map(({ region, ...rule }) => ({
      ...rule,
      region: {
        ...region,
        get isExact() {
          work.compared++
          return region.isExact
        },
      },
    }))
    evaluateRules(rules, { method: 'GET', path })
    upper.mock.restore()
    return work
  }

  const steps = STEPS.length + DECODINGS.length
  test(`each of the ${steps} steps reads each of at most ${MAX_INTERPRETATIONS} interpretations once, and each is folded once, however many rules there are`, (t) => {
    const check = (path: string) => {
      const { read, folded, compared } = countWork(t, path)
      assert.ok(read <= steps * MAX_INTERPRETATIONS * 4096, `${path.slice(0, 60)} read ${read}`)
      assert.ok(folded <= MAX_INTERPRETATIONS * 600, `${path.slice(0, 60)} folded ${folded}`)
      assert.ok(compared <= MAX_INTERPRETATIONS * 100)
    }
    for (const path of LONG_PATHS) check(path)
    fc.assert(fc.property(longPaths, check), { numRuns: 200 })
  })

  testSpeed('judging the worst paths with 100 rules takes less than a millisecond', async () => {
    for (const rules of [HUNDRED_RULES, hundredRules('bypass')])
      for (const path of LONG_PATHS) {
        const times = Array.from({ length: 200 }, () => {
          const begun = performance.now()
          evaluateRules(rules, { method: 'GET', path })
          return performance.now() - begun
        }).toSorted((a, b) => a - b)
        assertWithin(1, times[100] ?? Infinity, `${rules[0]?.policy} ${path.slice(0, 20)}…${path.slice(-10)}`)
      }
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
