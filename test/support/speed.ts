import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

/**
 * Whether time limits are asserted. `npm test` runs on any machine, also a busy one, and checks only correctness;
 * `npm run test:load` and `npm run test:faults` need an idle machine and check the times as well.
 * test:load runs every file that imports this one.
 */
export const isMeasured = process.env['TEST_LOAD'] === 'long' || process.env['FAULT_ROUNDS'] !== undefined

/** A test that asserts only times. */
export function testSpeed(name: string, work: (t: TestContext) => Promise<void>): void {
  if (isMeasured) test(name, work)
}

/** Asserts a time limit within a test of something else. */
export function assertWithin(maxMs: number, tookMs: number, what = ''): void {
  if (isMeasured) assert.ok(tookMs < maxMs, `${what} took ${Math.round(tookMs)} ms; the limit is ${maxMs} ms`.trim())
}
