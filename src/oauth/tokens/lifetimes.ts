const HOUR = 3_600_000
const DAY = 24 * HOUR

export const CODE_MS = 10 * 60_000
const ACCESS_MS = HOUR
const REFRESH_MS = 30 * DAY
/** An authorization with all its tokens, however often they are refreshed. */
const FAMILY_MS = 90 * DAY

/**
 * A token that was issued further in the future than this was issued while the clock was wrong, and would live too long. A
 * day is more than the clocks of replicas differ by, and more than a mistake with a time zone.
 */
const CLOCK_ERROR_MS = DAY

/** The latest issue time of a token that is valid now. */
export const latestIssueTime = (now: number): number => now + CLOCK_ERROR_MS

/** Whether tokens of an authorization of that time may still be valid. */
export const familyLives = (authorizedAt: number, now: number): boolean =>
  authorizedAt <= latestIssueTime(now) && now < authorizedAt + FAMILY_MS

/** When a token expires that is issued now on an authorization of that time. */
export const accessTokenEnd = (authorizedAt: number, now: number): number =>
  Math.min(now + ACCESS_MS, authorizedAt + FAMILY_MS)

export const refreshTokenEnd = (authorizedAt: number, now: number): number =>
  Math.min(now + REFRESH_MS, authorizedAt + FAMILY_MS)

/** A token of client credentials has no authorization. */
export const clientTokenEnd = (now: number): number => now + ACCESS_MS

/** Until when to keep an authorization with refresh tokens: a day longer than needed, so that most refreshes don't update its row. */
export const authorizationKeptUntil = (authorizedAt: number, now: number): number =>
  Math.min(now + REFRESH_MS + DAY, authorizedAt + FAMILY_MS)
