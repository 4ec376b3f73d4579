const HOUR = 3_600_000
const DAY = 24 * HOUR

export const CODE_MS = 10 * 60_000
const ACCESS_MS = HOUR
const REFRESH_MS = 30 * DAY
/** An authorization and all that comes of it, however often it is refreshed. */
const FAMILY_MS = 90 * DAY

/**
 * What was made further ahead of the clock than this was made while the clock was wrong, and would live for as long as the
 * clock was ahead. A day is more than the clocks of replicas differ by, and more than a slip with a time zone.
 */
const CLOCK_ERROR_MS = DAY

/** The latest time at which something that lives now can have been made. */
export const latestStart = (now: number): number => now + CLOCK_ERROR_MS

/** Whether tokens may still live that come of an authorization of that time. */
export const familyLives = (authorizedAt: number, now: number): boolean =>
  authorizedAt <= latestStart(now) && now < authorizedAt + FAMILY_MS

/** When a token expires that is issued now to the family of an authorization of that time. */
export const accessTokenEnd = (authorizedAt: number, now: number): number =>
  Math.min(now + ACCESS_MS, authorizedAt + FAMILY_MS)

export const refreshTokenEnd = (authorizedAt: number, now: number): number =>
  Math.min(now + REFRESH_MS, authorizedAt + FAMILY_MS)

/** A client's own token hangs on no authorization. */
export const clientTokenEnd = (now: number): number => now + ACCESS_MS

/** Until when to keep an authorization for its tokens: a day longer than now, so that most refreshes leave its row alone. */
export const keepWithRefresh = (authorizedAt: number, now: number): number =>
  Math.min(now + REFRESH_MS + DAY, authorizedAt + FAMILY_MS)
