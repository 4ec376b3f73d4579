import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a stored time, at which something becomes due or a lease ends, has come. A time further ahead than it could have
 * been set (`maxAheadMs`) was written under a wrong clock, and counts as due: otherwise it might be due only years later.
 */
export const isDue = (dueAt: number, now: number, maxAheadMs: number): boolean =>
  dueAt <= now || dueAt > now + maxAheadMs

/** The same in a query. */
export const due = (column: string, now: number, maxAheadMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + maxAheadMs})`

/**
 * How far the clocks of replicas may be apart. Added to `maxAheadMs` where work must not be taken from a replica that still
 * does it and whose clock is ahead.
 */
export const MAX_CLOCK_SKEW_MS = 60_000
