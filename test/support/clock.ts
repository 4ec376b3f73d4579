/** A clock that only a test moves. */
export interface Clock {
  now(): number
  /** Changed only by `advance`. */
  monotonicNow(): number
  /** Lets time pass. */
  advance(milliseconds: number): void
  /** Sets the wall clock forwards or backwards; no time passes. */
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
