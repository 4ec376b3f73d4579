import type { TestContext } from 'node:test'

const clocks = new WeakMap<TestContext, { now: number }>()

/**
 * Replaces `performance.now` until the test ends, and sets it to 0. Once for each test: of a function that was mocked twice, the end of
 * the test would restore the first mock, and the next tests of the process would wait for a clock that stands still.
 */
export function mockPerformanceClock(t: TestContext): { now: number } {
  let clock = clocks.get(t)
  if (!clock) {
    const own = (clock = { now: 0 })
    clocks.set(t, own)
    t.mock.method(performance, 'now', () => own.now)
  }
  clock.now = 0
  return clock
}
