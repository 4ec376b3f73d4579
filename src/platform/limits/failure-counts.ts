import type { Database } from '../../storage/database.ts'
import { isDue } from '../../storage/due.ts'
import { countFailure, findFailures } from './limit-store.ts'
import { bucketOf, type Limit, tooMany } from './limit.ts'
import { failuresOf, maxWindowMs, type RecentFailuresByKey } from './recent-failures.ts'

/** Counts failures in the database, and keeps what this replica knows of them in `recent`. */
export function createFailureCounts({ db, now }: { db: Database; now: () => number }, recent: RecentFailuresByKey) {
  const check = (limit: Limit, key: string): void => {
    const entry = recent.find(bucketOf(limit, key))
    if (entry && failuresOf(entry, limit, now()) >= limit.max) throw tooMany(entry.until - now())
  }

  return {
    /** Refuses when this replica knows that the limit is reached. */
    check,

    /** Adds a failure in the database. False when that was one too many. */
    async add(limit: Limit, key: string): Promise<boolean> {
      const bucket = bucketOf(limit, key)
      const stored = await countFailure(db, {
        bucket,
        now: now(),
        until: now() + limit.windowMs,
        latest: now() + maxWindowMs(limit),
      })
      const entry = recent.open(bucket, limit)
      // Answers of the database can overtake one another: within one window the count only grows.
      entry.failures = entry.until === stored.expiresAt ? Math.max(entry.failures, stored.failures) : stored.failures
      entry.until = stored.expiresAt
      return stored.failures <= limit.max
    },

    /** Adds a failure on this replica alone. */
    addHere(limit: Limit, key: string): void {
      check(limit, key)
      const entry = recent.open(bucketOf(limit, key), limit)
      entry.failures = failuresOf(entry, limit, now()) + 1
      if (entry.failures === 1) entry.until = now() + limit.windowMs
    },

    /** Reads the count of a bucket that this replica does not know yet. */
    async load(limit: Limit, bucket: string): Promise<void> {
      const stored = await findFailures(db.read, bucket)
      if (!stored || isDue(stored.expiresAt, now(), maxWindowMs(limit))) return
      const entry = recent.open(bucket, limit)
      entry.failures = Math.max(entry.failures, stored.failures)
      entry.until = Math.max(entry.until, stored.expiresAt)
    },
  }
}
