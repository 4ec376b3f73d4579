/** Time that stands still until a test moves it. */
export interface Clock {
  now(): number
  advance(milliseconds: number): void
}

export function createClock(start: number = Date.UTC(2026, 0, 15, 12)): Clock {
  let time = start
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds
    },
  }
}
