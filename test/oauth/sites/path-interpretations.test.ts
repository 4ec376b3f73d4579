import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileRules, evaluateRules } from '../../../src/oauth/sites/evaluate-rules.ts'
import { MAX_DECODINGS, MAX_INTERPRETATIONS, interpretationsOf } from '../../../src/oauth/sites/path-interpretations.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'
import { OPEN_PUBLIC, evaluate, isOpen } from './rule-verdicts.ts'
import { trickyPath } from './tricky-path.ts'

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
