import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { compileRules, evaluateRules } from '../../../src/oauth/sites/evaluate-rules.ts'
import { MAX_INTERPRETATIONS, interpretationsOf, takeStep } from '../../../src/oauth/sites/path-interpretations.ts'
import { DECODINGS, STEPS } from '../../../src/oauth/sites/path-steps.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'
import { assertWithin, testSpeed } from '../../support/speed.ts'
import { trickyPath } from './tricky-path.ts'

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
