import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

/**
 * Whether it matters how fast this machine is. `npm test` runs on any machine, beside anything else, and shows what is right
 * or wrong; `npm run test:load` and `npm run test:faults` have a quiet one to themselves, and hold us to our times as well.
 * test:load runs every file that imports this one.
 */
export const isMeasured = process.env['TEST_LOAD'] === 'long' || process.env['FAULT_ROUNDS'] !== undefined

/** A test of nothing but times. */
export function testSpeed(name: string, work: (t: TestContext) => Promise<void>): void {
  if (isMeasured) test(name, work)
}

/** One time within a test of other things. */
export function assertWithin(boundMs: number, tookMs: number, what = ''): void {
  if (isMeasured)
    assert.ok(tookMs < boundMs, `${what} took ${Math.round(tookMs)} ms, and may take ${boundMs} ms`.trim())
}
