import { sql } from 'kysely'
import { digest } from '../crypto/digest.ts'
import { AppError } from '../errors.ts'
import type { Db } from '../storage/schema.ts'
import { isDue, MAX_CLOCK_SKEW_MS } from '../storage/due.ts'
import { statement, type Values } from '../storage/statement.ts'

/** So many failures in so many milliseconds. */
export interface Limit {
  name: string
  most: number
  windowMs: number
}

const MINUTE = 60_000

/** Every limit of the service. They count failures, except where a request itself is what costs. */
export const LIMITS = {
  loginByEmail: { name: 'login-email', most: 10, windowMs: 15 * MINUTE },
  loginByAddress: { name: 'login-address', most: 100, windowMs: 15 * MINUTE },
  bootstrap: { name: 'bootstrap', most: 5, windowMs: 15 * MINUTE },
  clientAuthentication: { name: 'client', most: 30, windowMs: MINUTE },
  passkeyVerify: { name: 'passkey', most: 30, windowMs: MINUTE },
  mailByEmail: { name: 'mail-email', most: 5, windowMs: 60 * MINUTE },
  mailByAddress: { name: 'mail-address', most: 30, windowMs: 60 * MINUTE },
  registration: { name: 'registration', most: 100, windowMs: 60 * MINUTE },
} as const satisfies Record<string, Limit>

export interface Limits {
  /** Refuses with 429 when the key has failed too often. Asks no database: see `fail`. */
  check(limit: Limit, key: string): void
  /** Counts one failure (or one use), on every copy together. False when that was one too many. */
  fail(limit: Limit, key: string): Promise<boolean>
  /** Lets only as many attempts run at once as the key has failures left, so that a burst can't outrun the count. */
  attempt<T>(limits: [Limit, string][], run: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T>
}

interface Known {
  failures: number
  until: number
  windowMs: number
  running: number
  waiting: (() => void)[]
}

/** Above this, what has run out is forgotten. */
const MOST_KNOWN = 50_000

/**
 * Failures are counted in the database, so that they hold across copies and restarts. Each copy keeps what the last count
 * told it. An attempt at a bucket that this copy has not seen reads the count first; `check`, which stands on hot paths,
 * never reads: another copy learns of a full bucket at its own next failure, so there a guesser gains one guess a copy.
 */
export function createLimits({ db, now }: { db: Db; now: () => number }, enabled: boolean): Limits {
  const known = new Map<string, Known>()
  let pruneAt = MOST_KNOWN

  /** Also when its end lies further ahead than a window is long: the clock was wrong when it began. */
  const isOver = ({ until, windowMs }: Known) => isDue(until, now(), longestOf(windowMs))

  const lookAt = (bucket: string, { windowMs }: Limit): Known => {
    const found = known.get(bucket)
    if (found && (!isOver(found) || found.running > 0)) return found
    if (known.size >= pruneAt) {
      for (const [key, each] of known) if (isOver(each) && each.running === 0) known.delete(key)
      pruneAt = Math.max(MOST_KNOWN, known.size * 2)
    }
    const fresh: Known = { failures: 0, until: 0, windowMs, running: 0, waiting: [] }
    known.set(bucket, fresh)
    return fresh
  }
  const failuresOf = (entry: Known) => (isOver(entry) ? 0 : entry.failures)

  const check: Limits['check'] = (limit, key) => {
    if (!enabled) return
    const entry = known.get(bucketOf(limit, key))
    if (entry && failuresOf(entry) >= limit.most) throw tooMany(entry.until - now())
  }

  const fail: Limits['fail'] = async (limit, key) => {
    if (!enabled) return true
    const bucket = bucketOf(limit, key)
    const at = now()
    const { windowMs } = limit
    const [row] = await countFailure(db, { bucket, now: at, until: at + windowMs, latest: at + longestOf(windowMs) })
    if (!row) return true
    const entry = lookAt(bucket, limit)
    // Answers can overtake one another: within one window the count only grows.
    entry.failures = entry.until === row.expires_at ? Math.max(entry.failures, row.failures) : row.failures
    entry.until = row.expires_at
    return row.failures <= limit.most
  }

  const learn = async (bucket: string, limit: Limit): Promise<void> => {
    const [row] = await failuresSoFar(db, { bucket })
    if (!row || isDue(row.expires_at, now(), longestOf(limit.windowMs))) return
    const entry = lookAt(bucket, limit)
    entry.failures = Math.max(entry.failures, row.failures)
    entry.until = Math.max(entry.until, row.expires_at)
  }

  const enter = async (limit: Limit, key: string): Promise<() => void> => {
    const bucket = bucketOf(limit, key)
    if (!known.has(bucket)) await learn(bucket, limit)
    // Looked at again after each wait: an entry that nobody ran on may have been replaced meanwhile.
    let entry = lookAt(bucket, limit)
    while (failuresOf(entry) < limit.most && failuresOf(entry) + entry.running >= limit.most) {
      const { waiting } = entry
      await new Promise<void>((resolve) => waiting.push(resolve))
      entry = lookAt(bucket, limit)
    }
    check(limit, key)
    const entered = entry
    entered.running++
    return () => {
      entered.running--
      for (const resume of entered.waiting.splice(0)) resume()
    }
  }

  return {
    check,
    fail,
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

const longestOf = (windowMs: number): number => windowMs + MAX_CLOCK_SKEW_MS

const tooMany = (waitMs: number): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = retryAfter < 120 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`
  return new AppError('too_many_requests', `Too many failed attempts. Try again in ${wait}.`, { retryAfter })
}

/** Keys hold addresses of people: they are stored as digests. */
const bucketOf = (limit: Limit, key: string): string => digest(`${limit.name}\0${key}`)

interface Counted {
  bucket: string
  now: number
  /** When a window ends that begins now. */
  until: number
  /** Nothing that ends later than this is believed. */
  latest: number
}

const countFailure = statement((db, value: Values<Counted>) => {
  const isOver = sql`(rate_limits.expires_at <= ${value('now')} or rate_limits.expires_at > ${value('latest')})`
  return db
    .insertInto('rate_limits')
    .values({ bucket: value('bucket'), failures: 1, expires_at: value('until') })
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet({
        failures: sql<number>`case when ${isOver} then 1 else rate_limits.failures + 1 end`,
        expires_at: sql<number>`case when ${isOver} then excluded.expires_at else rate_limits.expires_at end`,
      }),
    )
    .returning(['failures', 'expires_at'])
})

const failuresSoFar = statement((db, value: Values<{ bucket: string }>) =>
  db.selectFrom('rate_limits').select(['failures', 'expires_at']).where('bucket', '=', value('bucket')),
)
