/** Time that stands still until a test moves it. */
export interface Clock {
  now(): number
  /** Grows with `advance` alone. */
  monotonicNow(): number
  /** Time passes. */
  advance(milliseconds: number): void
  /** Somebody sets the clock forwards or backwards, and no time passes. */
  adjust(milliseconds: number): void
}

export function createClock(start: number = Date.UTC(2026, 0, 15, 12)): Clock {
  let adjusted = start
  let passed = 0
  return {
    now: () => adjusted + passed,
    monotonicNow: () => passed,
    advance(milliseconds) {
      passed += milliseconds
    },
    adjust(milliseconds) {
      adjusted += milliseconds
    },
  }
}
