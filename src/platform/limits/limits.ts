import type { Database } from '../../storage/database.ts'
import { createAttemptSlots } from './attempt-slots.ts'
import { createFailureCounts } from './failure-counts.ts'
import type { Limit } from './limit.ts'
import { createRecentFailures } from './recent-failures.ts'

const MINUTE = 60_000

/** Every limit of the service. They count failures, or requests where each request is expensive. */
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
  deviceAuthorization: { name: 'device-authorization', max: 30, windowMs: MINUTE },
  userCodeByPerson: { name: 'user-code-person', max: 10, windowMs: 10 * MINUTE },
  userCodeByAddress: { name: 'user-code-address', max: 30, windowMs: 10 * MINUTE },
  takenEmailByPerson: { name: 'taken-email', max: 10, windowMs: 15 * MINUTE },
  takenUsernameByPerson: { name: 'taken-username', max: 10, windowMs: 15 * MINUTE },
  registration: { name: 'registration', max: 100, windowMs: 60 * MINUTE },
} as const satisfies Record<string, Limit>

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
  const recent = createRecentFailures(services.now)
  const counts = createFailureCounts(services, recent)
  const enter = createAttemptSlots(services.now, recent, counts)
  return {
    check: counts.check,
    fail: counts.add,
    failHere: counts.addHere,
    async attempt(limits, run, isFailure) {
      const leave: (() => void)[] = []
      try {
        for (const [limit, key] of limits) leave.push(await enter(limit, key))
        return await run()
      } catch (error) {
        if (isFailure(error)) for (const [limit, key] of limits) await counts.add(limit, key)
        throw error
      } finally {
        for (const each of leave) each()
      }
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
