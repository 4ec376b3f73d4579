import type { Database } from '../../storage/database.ts'
import { createWorkQueue } from '../../work-queue.ts'
import {
  createFailureCounts,
  bucketOf,
  tooManyAtOnce,
  createRecentFailures,
  failuresOf,
  type Limit,
} from './failure-counts.ts'

const MINUTE = 60_000

/** Every limit of the service. They count failures, or requests where each request is expensive. */
export const LIMITS = {
  loginByEmailAndAddress: { name: 'login-email', max: 10, windowMs: 15 * MINUTE },
  loginByAddress: { name: 'login-address', max: 100, windowMs: 15 * MINUTE },
  loginFromAnywhere: { name: 'login-anywhere', max: 100, windowMs: 60 * MINUTE },
  loginByKnownBrowser: { name: 'login-browser', max: 10, windowMs: 15 * MINUTE },
  secondStepFromAnywhere: { name: 'second-step', max: 20, windowMs: 60 * MINUTE },
  secondStepByKnownBrowser: { name: 'second-step-browser', max: 20, windowMs: 60 * MINUTE },
  secondStepByKnownBrowsers: { name: 'second-step-browsers', max: 40, windowMs: 60 * MINUTE },
  bootstrap: { name: 'bootstrap', max: 5, windowMs: 15 * MINUTE },
  clientSecret: { name: 'client', max: 30, windowMs: MINUTE },
  unknownClient: { name: 'unknown-client', max: 30, windowMs: MINUTE },
  passkeyVerify: { name: 'passkey', max: 30, windowMs: MINUTE },
  mailByEmailAndAddress: { name: 'mail-email', max: 5, windowMs: 60 * MINUTE },
  mailByAddress: { name: 'mail-address', max: 30, windowMs: 60 * MINUTE },
  mailByKnownBrowser: { name: 'mail-browser', max: 30, windowMs: 60 * MINUTE },
  deviceAuthorization: { name: 'device-authorization', max: 30, windowMs: MINUTE },
  userCodeByPerson: { name: 'user-code-person', max: 10, windowMs: 10 * MINUTE },
  userCodeByAddress: { name: 'user-code-address', max: 30, windowMs: 10 * MINUTE },
  takenEmailByPerson: { name: 'taken-email', max: 10, windowMs: 15 * MINUTE },
  takenUsernameByPerson: { name: 'taken-username', max: 10, windowMs: 15 * MINUTE },
  notMeByAddress: { name: 'not-me', max: 30, windowMs: 60 * MINUTE },
  webhookRequests: { name: 'webhook', max: 10, windowMs: MINUTE },
  signalVerification: { name: 'signal-verification', max: 30, windowMs: MINUTE },
  registration: { name: 'registration', max: 100, windowMs: 60 * MINUTE },
} as const satisfies Record<string, Limit>

/** How many attempts at one key may wait for those that run, and at all keys. A person never makes more. */
const MAX_WAITING_PER_KEY = 100
const MAX_WAITING = 10_000
/** An attempt waits for the password checks of others, which have a queue of their own. */
const MAX_WAIT_MS = 120_000

export interface Limits {
  /** Refuses with 429 when the key has failed too often. Reads no database: see `createLimits`. */
  check(limit: Limit, key: string): void
  /** Counts one failure (or one use), on every replica together. False when that was one too many. */
  fail(limit: Limit, key: string): Promise<boolean>
  /** Counts one failure on this replica alone, without a write, and refuses with 429 when it is one too many. */
  failHere(limit: Limit, key: string): void
  /** Lets only as many attempts run at once as the key has failures left, so that a burst can't outrun the count. */
  attempt<T>(limits: [Limit, string][], run: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T>
}

/**
 * Failures are counted in the database, so that they hold across replicas and restarts. Each replica keeps the count that it
 * read last. An attempt at a bucket that this replica has not seen reads the count first; `check`, which is on hot paths,
 * never reads: another replica learns of a full bucket at its own next failure, so an attacker gains one guess per replica there.
 */
export function createLimits(services: { db: Database; now: () => number }, enabled: boolean): Limits {
  if (!enabled) return NO_LIMITS
  const attempts = createWorkQueue({
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_KEY,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: tooManyAtOnce,
  })
  const recent = createRecentFailures(services.now, attempts.isBusy)
  const counts = createFailureCounts(services, recent)

  /** As many as the key has failures left. When the limit is reached, all continue, and are refused. */
  const attemptsLeft = (bucket: string, limit: Limit): number => {
    const failures = failuresOf(recent.open(bucket, limit), limit, services.now())
    return failures >= limit.max ? Infinity : limit.max - failures
  }
  const attemptAt = async <T>([limit, key]: [Limit, string], run: () => Promise<T>): Promise<T> => {
    const bucket = bucketOf(limit, key)
    if (!recent.find(bucket)) await counts.load(limit, bucket)
    const checked = async () => {
      counts.check(limit, key)
      return run()
    }
    return attempts.run(bucket, checked, () => attemptsLeft(bucket, limit))
  }
  return {
    check: counts.check,
    fail: counts.add,
    failHere: counts.addHere,
    attempt(limits, run, isFailure) {
      const counted = async () => {
        try {
          return await run()
        } catch (error) {
          if (isFailure(error)) for (const [limit, key] of limits) await counts.add(limit, key)
          throw error
        }
      }
      return limits.reduceRight((inner, each) => () => attemptAt(each, inner), counted)()
    },
  }
}

/** For load tests (`RATE_LIMITS=off`). */
const NO_LIMITS: Limits = {
  check: () => {},
  fail: async () => true,
  failHere: () => {},
  attempt: (_limits, run) => run(),
}
