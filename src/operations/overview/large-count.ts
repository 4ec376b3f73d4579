import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'

/** A result is reused for this many times the duration of the count. */
const FRESH_TIMES = 20
/** A result that is older than this is not given out while the next is counted. */
const KEPT_MS = 3_600_000

interface Counting {
  /** Aborted when the service ends: the count that is under way then fails. */
  stop: AbortSignal
  /** Whether counting takes longer than a request should wait. */
  isLong(db: Reader): Promise<boolean>
  count(db: Reader): Promise<number>
}

/**
 * A count that may take long. Then it runs in the background, and requests get its last result: null while there is none.
 */
export function createLargeCount(
  { db, monotonicNow, log }: Pick<Services, 'db' | 'monotonicNow' | 'log'>,
  { stop, isLong, count }: Counting,
): () => Promise<number | null> {
  let known: { value: number; at: number } | undefined
  let isCounting = false
  let next = Number.NEGATIVE_INFINITY

  const countOn = async (reader: Reader): Promise<number> => {
    const value = await count(reader)
    known = { value, at: monotonicNow() }
    return value
  }
  const countInBackground = async (): Promise<void> => {
    const started = monotonicNow()
    isCounting = true
    try {
      await countOn(db.background)
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error }, 'Counting for the overview failed; it is tried again.')
    }
    isCounting = false
    next = monotonicNow() + FRESH_TIMES * (monotonicNow() - started)
  }

  return async () => {
    if (!(await isLong(db.read))) return countOn(db.read)
    if (!isCounting && monotonicNow() >= next) void countInBackground()
    return known && monotonicNow() - known.at < KEPT_MS ? known.value : null
  }
}
