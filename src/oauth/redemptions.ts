import type { Services } from '../services.ts'

/** When a request was taken up. */
export interface Beginning {
  /** Its place among all requests of this process. */
  place: number
  at: number
}

/**
 * Tells a code that is used again, which is theft, from one that several requests use at once, of which one wins and keeps
 * what it got. Only a request that began after the redemption was over uses the code again.
 */
export interface Redemptions {
  begin(): Beginning
  /** Notes that a code was redeemed here, before that is answered. */
  won(codeHash: string): void
  /** Notes that a request found a code unused and could not redeem it. */
  lost(codeHash: string): void
  /** Whether a request that found the code redeemed began after that. */
  isReuse(codeHash: string, began: Beginning, redeemedAt: number): boolean
}

interface Noted {
  /** The place at which the redemption was over, if it was made by this process. */
  wonAt: number | undefined
  /** Whether others tried to redeem the code at the same time. */
  contended: boolean
}

/** Beyond this the oldest are forgotten, and clocks decide about them. */
const MAX_NOTED = 1000

/** What was sent at once arrives over some time. For so long a code that others were using too is refused without more. */
const BURST_MS = 500
/** The same for a code that another replica redeemed, whose clock may differ from ours. */
const BURST_ELSEWHERE_MS = 2000

export function createRedemptions({ now }: Pick<Services, 'now'>): Redemptions {
  const noted = new Map<string, Noted>()
  let place = 0

  const note = (codeHash: string): Noted => {
    const known = noted.get(codeHash)
    if (known) return known
    const fresh: Noted = { wonAt: undefined, contended: false }
    noted.set(codeHash, fresh)
    if (noted.size > MAX_NOTED) noted.delete(noted.keys().next().value ?? '')
    return fresh
  }

  return {
    begin: () => ({ place: ++place, at: now() }),
    won(codeHash) {
      note(codeHash).wonAt = ++place
    },
    lost(codeHash) {
      note(codeHash).contended = true
    },
    isReuse(codeHash, began, redeemedAt) {
      const { wonAt, contended } = noted.get(codeHash) ?? { wonAt: undefined, contended: false }
      // A clock that was moved since makes the difference large either way.
      const since = Math.abs(began.at - redeemedAt)
      const isReuse =
        wonAt === undefined ? since > BURST_ELSEWHERE_MS : began.place > wonAt && (!contended || since > BURST_MS)
      if (!isReuse) note(codeHash).contended = true
      return isReuse
    },
  }
}
