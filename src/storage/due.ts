import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a stored time, at which something becomes due or a lease ends, has come. One that lies further ahead than it
 * could have been set (`longestMs`) was written under a clock that was wrong, and counts as due: otherwise what waits for
 * it would wait until that clock is right, which may be years.
 */
export const isDue = (dueAt: number, now: number, longestMs: number): boolean => dueAt <= now || dueAt > now + longestMs

/** The same in a query. */
export const due = (column: string, now: number, longestMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + longestMs})`

/**
 * How far the clocks of replicas may be apart. Added to `longestMs` where something must not be taken from a replica that
 * is still at it only because its clock is ahead.
 */
export const MAX_CLOCK_SKEW_MS = 60_000
