import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../services.ts'

/** When a request was taken up. */
export interface Beginning {
  /** Its place among all requests of this process. */
  place: number
  /** By the clock, and by the time that passes in this process whatever happens to the clock. */
  at: number
  passed: number
}

/**
 * Tells a code that is used again, which is theft, from one that several requests use at once, of which one wins and keeps
 * what it got.
 *
 * A request that began before the redemption was over was under way at the same time. But what is sent at once arrives over
 * some time, and the winner may have its answer by then. So a request that comes shortly after the redemption waits for a
 * moment: if others come as well, or were there before, they all belong together; if it stays alone, it uses the code again.
 */
export interface Redemptions {
  begin(): Beginning
  /** Notes that a code was redeemed here, before that is answered. */
  won(codeHash: string): void
  /** Notes that a request found a code unused and could not redeem it. */
  lost(codeHash: string): void
  /** Whether a request that found the code redeemed uses it again. */
  isReuse(codeHash: string, began: Beginning, redeemedAt: number): Promise<boolean>
}

interface Noted {
  /** The place at which the redemption was over, if it was made by this process. */
  wonAt: number | undefined
  /** Whether others used the code at the same time. */
  contended: boolean
  /** Whether a request waits for others. */
  waiting: boolean
  /** When the redemption was over, or the last of those that came after it began. */
  lastUse: number
}

/** Beyond this the oldest are forgotten, and clocks decide about them. */
const MAX_NOTED = 1000

/** Requests that were sent at once arrive no further apart than this, however many they are. */
const BURST_GAP_MS = 500
/** How long the first that comes after the redemption waits for another. */
const WAIT_MS = 250
/** Clocks of two replicas may differ by this. Until then a code that another replica redeemed is refused without more. */
const CLOCK_DIFFERENCE_MS = 2000

export function createRedemptions({ now, monotonicNow }: Pick<Services, 'now' | 'monotonicNow'>): Redemptions {
  const noted = new Map<string, Noted>()
  let place = 0

  const note = (codeHash: string): Noted => {
    const known = noted.get(codeHash)
    if (known) return known
    const fresh: Noted = { wonAt: undefined, contended: false, waiting: false, lastUse: 0 }
    noted.set(codeHash, fresh)
    if (noted.size > MAX_NOTED) noted.delete(noted.keys().next().value ?? '')
    return fresh
  }

  return {
    begin: () => ({ place: ++place, at: now(), passed: monotonicNow() }),
    won(codeHash) {
      Object.assign(note(codeHash), { wonAt: ++place, lastUse: monotonicNow() })
    },
    lost(codeHash) {
      note(codeHash).contended = true
    },
    async isReuse(codeHash, began, redeemedAt) {
      const entry = note(codeHash)
      const { wonAt, lastUse } = entry
      // Without a note of the winner, it is another replica, or is about to be noted.
      if (wonAt === undefined) {
        entry.contended = true
        return Math.abs(began.at - redeemedAt) > CLOCK_DIFFERENCE_MS
      }
      entry.lastUse = Math.max(lastUse, began.passed)
      if (began.passed - lastUse > BURST_GAP_MS) return true
      if (began.place < wonAt || entry.waiting) entry.contended = true
      if (entry.contended) return false
      entry.waiting = true
      await wait(WAIT_MS)
      entry.waiting = false
      return !entry.contended
    },
  }
}
