import { isDue, MAX_CLOCK_SKEW_MS } from '../../storage/due.ts'

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
export const maxWindowMs = ({ windowMs }: { windowMs: number }): number => windowMs + MAX_CLOCK_SKEW_MS

const isCurrent = ({ until }: RecentFailures, limit: { windowMs: number }, now: number): boolean =>
  !isDue(until, now, maxWindowMs(limit))
