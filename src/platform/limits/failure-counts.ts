import type { AppError } from '../../errors.ts'
import { isDue, MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Database } from '../../storage/database.ts'
import { digest } from '../crypto/digest.ts'
import { limitErrors } from './limit-errors.ts'
import { countFailure, findFailures } from './limit-store.ts'

/** At most `max` failures in `windowMs` milliseconds. */
export interface Limit {
  name: string
  max: number
  windowMs: number
}

/** The key of a limit as it is stored: keys hold the addresses of people, so it is a digest. */
export const bucketOf = (limit: Limit, key: string): string => digest(`${limit.name}\0${key}`)

const tooMany = (waitMs: number): AppError => {
  const wait = Math.max(1, Math.ceil(waitMs / 1000))
  return limitErrors.too_many_failures({ wait }, { retryAfter: wait })
}

export const tooManyAtOnce = (): AppError => limitErrors.too_many_attempts_at_once({ wait: 5 }, { retryAfter: 5 })

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

/** What this replica knows of one key of a limit. */
export interface RecentFailures {
  failures: number
  /** The failures count until then. */
  until: number
}

export interface RecentFailuresByKey {
  find(bucket: string): RecentFailures | undefined
  /** The entry of that key, which is new when its time was over. */
  open(bucket: string, limit: { windowMs: number }): RecentFailures
}

/** More keys are not kept. A key that was dropped is read from the database again. */
const MAX_KEYS = 50_000

/** How many are dropped at once, so that not every new key has to scan all of them. */
const BATCH = 5_000

/** `isInUse` tells whether attempts at a key run or wait: what is known of it must not be dropped meanwhile. */
export function createRecentFailures(now: () => number, isInUse: (bucket: string) => boolean): RecentFailuresByKey {
  const entries = new Map<string, RecentFailures>()

  /** Drops expired entries, then the oldest ones; never one that is in use. */
  const makeRoom = (): void => {
    for (const [bucket, entry] of entries) if (entry.until <= now() && !isInUse(bucket)) entries.delete(bucket)
    let surplus = entries.size - (MAX_KEYS - BATCH)
    for (const bucket of entries.keys()) {
      if (surplus <= 0) break
      if (isInUse(bucket)) continue
      entries.delete(bucket)
      surplus--
    }
  }

  return {
    find: (bucket) => entries.get(bucket),
    open(bucket, limit) {
      const found = entries.get(bucket)
      if (found && (isCurrent(found, limit, now()) || isInUse(bucket))) return found
      // Deleted and set again, so that it comes last: the order of the map is the order of age.
      entries.delete(bucket)
      if (entries.size >= MAX_KEYS) makeRoom()
      const fresh: RecentFailures = { failures: 0, until: 0 }
      entries.set(bucket, fresh)
      return fresh
    },
  }
}

export const failuresOf = (entry: RecentFailures, limit: { windowMs: number }, now: number): number =>
  isCurrent(entry, limit, now) ? entry.failures : 0

/** A window that ends later than this was written under a wrong clock. */
const maxWindowMs = ({ windowMs }: { windowMs: number }): number => windowMs + MAX_CLOCK_SKEW_MS

const isCurrent = ({ until }: RecentFailures, limit: { windowMs: number }, now: number): boolean =>
  !isDue(until, now, maxWindowMs(limit))
