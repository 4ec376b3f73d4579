import type { FailureCounts } from './failure-counts.ts'
import { bucketOf, type Limit, tooManyAtOnce } from './limit.ts'
import { failuresOf, type RecentFailures, type RecentFailuresByKey } from './recent-failures.ts'

/** How many attempts at one key may wait for those that run. A person never makes more. */
const MAX_WAITING = 100

/**
 * Lets as many attempts at a key run at a time as it has failures left. Further ones wait until one of them ends, or are
 * refused when the limit is reached meanwhile. Resolves with a function that frees the slot.
 */
export function createAttemptSlots(now: () => number, recent: RecentFailuresByKey, counts: FailureCounts) {
  /** One slot is free for one waiting attempt. When the limit is reached there will be no more slots, so all of them continue and are refused. */
  const wake = (entry: RecentFailures, limit: Limit): void => {
    const count = failuresOf(entry, limit, now()) >= limit.max ? entry.waiting.length : 1
    for (const resume of entry.waiting.splice(0, count)) resume()
  }

  /** Takes a slot in the same step as it was found free, so that no other attempt takes it too. */
  const occupy = (entry: RecentFailures, limit: Limit, key: string): (() => void) => {
    if (failuresOf(entry, limit, now()) >= limit.max) wake(entry, limit)
    counts.check(limit, key)
    entry.running++
    return () => {
      entry.running--
      wake(entry, limit)
    }
  }

  return async (limit: Limit, key: string): Promise<() => void> => {
    const bucket = bucketOf(limit, key)
    if (!recent.find(bucket)) await counts.load(limit, bucket)
    for (;;) {
      // Opened again after each wait: an entry without a running attempt may have been replaced meanwhile.
      const entry = recent.open(bucket, limit)
      const failures = failuresOf(entry, limit, now())
      if (failures >= limit.max || failures + entry.running < limit.max) return occupy(entry, limit, key)
      if (entry.waiting.length >= MAX_WAITING) throw tooManyAtOnce()
      await new Promise<void>((resolve) => entry.waiting.push(resolve))
    }
  }
}
