import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../services.ts'

/** When a request started. */
export interface RequestStart {
  /** Its number in the sequence of requests and redemptions of this process. */
  sequence: number
  /** By the clock, which may be changed. */
  at: number
  /** By the monotonic clock of this process. */
  monotonic: number
}

/**
 * Distinguishes the reuse of a code, which suggests theft, from concurrent requests with one code, of which one redeems it
 * and keeps its tokens.
 *
 * A request that started before the redemption ended is concurrent. But requests that were sent at the same time arrive
 * over some time, and the first may have been answered by then. So a request that arrives shortly after the redemption
 * waits for a moment: if other requests arrive, or arrived before, all of them are concurrent; otherwise it is a reuse.
 */
export interface Redemptions {
  start(): RequestStart
  /** Notes that this process redeemed a code. Call it before the request is answered. */
  noteRedeemed(codeHash: string): void
  /** Notes that a request found a code unused, but another request redeemed it. */
  noteConcurrent(codeHash: string): void
  /** Whether a request that found the code redeemed is a reuse. */
  isReuse(codeHash: string, started: RequestStart, redeemedAt: number): Promise<boolean>
}

interface Noted {
  /** The number in the sequence at which the redemption ended, if this process made it. */
  redeemedAt: number | undefined
  /** Whether other requests used the code at the same time. */
  concurrent: boolean
  /** Whether a request waits for others. */
  waiting: boolean
  /** When the redemption ended, or the last request after it started, by the monotonic clock. */
  lastUse: number
}

/** Beyond this the oldest entries are dropped, and their reuse is decided by the clock alone. */
const MAX_NOTED = 1000

/** Concurrent requests arrive no further apart than this. */
const BURST_GAP_MS = 500
/** How long the first request after the redemption waits for another. */
const WAIT_MS = 250
/** Clocks of two replicas may differ by this. Within it, a code that another replica redeemed is refused but not revoked. */
const MAX_CLOCK_DIFFERENCE_MS = 2000

export function createRedemptions({ now, monotonicNow }: Pick<Services, 'now' | 'monotonicNow'>): Redemptions {
  const noted = new Map<string, Noted>()
  let sequence = 0

  const note = (codeHash: string): Noted => {
    const known = noted.get(codeHash)
    if (known) return known
    const fresh: Noted = { redeemedAt: undefined, concurrent: false, waiting: false, lastUse: 0 }
    noted.set(codeHash, fresh)
    if (noted.size > MAX_NOTED) noted.delete(noted.keys().next().value ?? '')
    return fresh
  }

  return {
    start: () => ({ sequence: ++sequence, at: now(), monotonic: monotonicNow() }),
    noteRedeemed(codeHash) {
      Object.assign(note(codeHash), { redeemedAt: ++sequence, lastUse: monotonicNow() })
    },
    noteConcurrent(codeHash) {
      note(codeHash).concurrent = true
    },
    async isReuse(codeHash, started, redeemedAt) {
      const entry = note(codeHash)
      const { lastUse } = entry
      // Another replica redeemed the code, or this process is about to note it.
      if (entry.redeemedAt === undefined) {
        entry.concurrent = true
        return Math.abs(started.at - redeemedAt) > MAX_CLOCK_DIFFERENCE_MS
      }
      entry.lastUse = Math.max(lastUse, started.monotonic)
      if (started.monotonic - lastUse > BURST_GAP_MS) return true
      if (started.sequence < entry.redeemedAt || entry.waiting) entry.concurrent = true
      if (entry.concurrent) return false
      entry.waiting = true
      await wait(WAIT_MS)
      entry.waiting = false
      return !entry.concurrent
    },
  }
}
