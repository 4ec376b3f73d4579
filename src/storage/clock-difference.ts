import type { Logger } from 'pino'

/**
 * Replicas compare times that others have stored with their own clock. One whose clock differs by more than this from that of the
 * database would end sessions too early or too late, and is not ready.
 */
const MAX_CLOCK_DIFFERENCE_MS = 30_000

export const isClockWrong = (differenceMs: number | undefined): boolean =>
  Math.abs(differenceMs ?? 0) > MAX_CLOCK_DIFFERENCE_MS

interface Reading {
  /** When the question was sent and when it was answered, by this machine's clock. */
  sentAt: number
  answeredAt: number
  /** By the clock of the database. */
  databaseNow: number
}

/** By how much the clock of the database is ahead of this machine's, at least: it was read at some moment in between. */
export function differenceOf({ sentAt, answeredAt, databaseNow }: Reading): number {
  if (databaseNow > answeredAt) return databaseNow - answeredAt
  return Math.min(0, databaseNow - sentAt)
}

/** Remembers the last reading, and says in the log when the clock begins to be wrong and when it is right again. */
export function createClockDifference(log: Logger) {
  let difference: number | undefined
  return {
    read: () => difference,
    note(reading: Reading): void {
      const wasWrong = isClockWrong(difference)
      difference = differenceOf(reading)
      const isWrong = isClockWrong(difference)
      const clockDifferenceSeconds = Math.round(difference / 1000)
      if (isWrong && !wasWrong) {
        log.error(
          { clockDifferenceSeconds },
          "This machine's clock differs from that of the database by more than 30 seconds. This replica is not ready until they agree.",
        )
      } else if (wasWrong && !isWrong)
        log.info({ clockDifferenceSeconds }, "This machine's clock agrees with that of the database again.")
    },
  }
}
