import { digest } from '../crypto/digest.ts'
import { AppError } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import { isDue } from '../storage/due.ts'
import { countFailure, findFailures } from './limit-store.ts'
import { createRecentFailures, failuresOf, maxWindowMs } from './recent-failures.ts'

/** So many failures in so many milliseconds. */
export interface Limit {
  name: string
  max: number
  windowMs: number
}

const MINUTE = 60_000

/** Every limit of the service. They count failures, except where a request itself is what costs. */
export const LIMITS = {
  loginByEmailAndAddress: { name: 'login-email', max: 10, windowMs: 15 * MINUTE },
  loginByAddress: { name: 'login-address', max: 100, windowMs: 15 * MINUTE },
  loginFromAnywhere: { name: 'login-anywhere', max: 100, windowMs: 60 * MINUTE },
  loginByKnownBrowser: { name: 'login-browser', max: 10, windowMs: 15 * MINUTE },
  bootstrap: { name: 'bootstrap', max: 5, windowMs: 15 * MINUTE },
  clientSecret: { name: 'client', max: 30, windowMs: MINUTE },
  unknownClient: { name: 'unknown-client', max: 30, windowMs: MINUTE },
  passkeyVerify: { name: 'passkey', max: 30, windowMs: MINUTE },
  mailByEmailAndAddress: { name: 'mail-email', max: 5, windowMs: 60 * MINUTE },
  mailByAddress: { name: 'mail-address', max: 30, windowMs: 60 * MINUTE },
  mailByKnownBrowser: { name: 'mail-browser', max: 30, windowMs: 60 * MINUTE },
  registration: { name: 'registration', max: 100, windowMs: 60 * MINUTE },
} as const satisfies Record<string, Limit>

export interface Limits {
  /** Refuses with 429 when the key has failed too often. Asks no database: see `fail`. */
  check(limit: Limit, key: string): void
  /** Counts one failure (or one use), on every replica together. False when that was one too many. */
  fail(limit: Limit, key: string): Promise<boolean>
  /** Counts one failure on this replica alone, without a write, and refuses with 429 when it is one too many. */
  failHere(limit: Limit, key: string): void
  /** Lets only as many attempts run at once as the key has failures left, so that a burst can't outrun the count. */
  attempt<T>(limits: [Limit, string][], run: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T>
}

/** So many attempts at one key wait for those that run. More than that come from a program. */
const MAX_WAITING = 100

/**
 * Failures are counted in the database, so that they hold across replicas and restarts. Each replica keeps what the last
 * count told it. An attempt at a bucket that this replica has not seen reads the count first; `check`, which stands on hot
 * paths, never reads: another replica learns of a full bucket at its own next failure, so there a guesser gains one guess
 * a replica.
 */
export function createLimits({ db, now }: { db: Database; now: () => number }, enabled: boolean): Limits {
  const recent = createRecentFailures(now)

  const check: Limits['check'] = (limit, key) => {
    if (!enabled) return
    const entry = recent.find(bucketOf(limit, key))
    if (entry && failuresOf(entry, limit, now()) >= limit.max) throw tooMany(entry.until - now())
  }

  const fail: Limits['fail'] = async (limit, key) => {
    if (!enabled) return true
    const bucket = bucketOf(limit, key)
    const row = await countFailure(db, {
      bucket,
      now: now(),
      until: now() + limit.windowMs,
      latest: now() + maxWindowMs(limit),
    })
    const entry = recent.open(bucket, limit)
    // Answers can overtake one another: within one window the count only grows.
    entry.failures = entry.until === row.expiresAt ? Math.max(entry.failures, row.failures) : row.failures
    entry.until = row.expiresAt
    return row.failures <= limit.max
  }

  const failHere: Limits['failHere'] = (limit, key) => {
    check(limit, key)
    if (!enabled) return
    const entry = recent.open(bucketOf(limit, key), limit)
    entry.failures = failuresOf(entry, limit, now()) + 1
    if (entry.failures === 1) entry.until = now() + limit.windowMs
  }

  const learn = async (bucket: string, limit: Limit): Promise<void> => {
    const row = await findFailures(db.read, bucket)
    if (!row || isDue(row.expiresAt, now(), maxWindowMs(limit))) return
    const entry = recent.open(bucket, limit)
    entry.failures = Math.max(entry.failures, row.failures)
    entry.until = Math.max(entry.until, row.expiresAt)
  }

  const enter = async (limit: Limit, key: string): Promise<() => void> => {
    const bucket = bucketOf(limit, key)
    if (!recent.find(bucket)) await learn(bucket, limit)
    // Looked at again after each wait: an entry that nobody ran on may have been replaced meanwhile.
    let entry = recent.open(bucket, limit)
    const failures = () => failuresOf(entry, limit, now())
    while (failures() < limit.max && failures() + entry.running >= limit.max) {
      const { waiting } = entry
      if (waiting.length >= MAX_WAITING) throw tooManyAtOnce()
      await new Promise<void>((resolve) => waiting.push(resolve))
      entry = recent.open(bucket, limit)
    }
    const entered = entry
    // One place is free for one of those that wait. When there will be no more places, all of them are told so.
    const wake = () => {
      const count = failuresOf(entered, limit, now()) >= limit.max ? entered.waiting.length : 1
      for (const resume of entered.waiting.splice(0, count)) resume()
    }
    if (failures() >= limit.max) wake()
    check(limit, key)
    entered.running++
    return () => {
      entered.running--
      wake()
    }
  }

  return {
    check,
    fail,
    failHere,
    async attempt(limits, run, isFailure) {
      if (!enabled) return run()
      const leave: (() => void)[] = []
      try {
        for (const [limit, key] of limits) leave.push(await enter(limit, key))
        return await run()
      } catch (error) {
        if (isFailure(error)) for (const [limit, key] of limits) await fail(limit, key)
        throw error
      } finally {
        for (const each of leave) each()
      }
    },
  }
}

const tooMany = (waitMs: number): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = retryAfter < 120 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`
  return new AppError('too_many_requests', `Too many failed attempts. Try again in ${wait}.`, { retryAfter })
}

const tooManyAtOnce = (): AppError =>
  new AppError('too_many_requests', 'Too many attempts at the same time. Try again in 5 seconds.', { retryAfter: 5 })

/** Keys hold addresses of people: they are stored as digests. */
const bucketOf = (limit: Limit, key: string): string => digest(`${limit.name}\0${key}`)
