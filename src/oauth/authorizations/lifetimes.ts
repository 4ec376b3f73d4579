import { type Client, SSH_CLIENT_ID } from '../clients/client.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

export const CODE_MS = 10 * 60_000
const ACCESS_MS = HOUR
const REFRESH_MS = 30 * DAY
/** An authorization with all its tokens, however often they are refreshed. */
const FAMILY_MS = 90 * DAY
/** A sign-in with `latchkey-ssh` lasts for a working day. */
const SSH_FAMILY_MS = 12 * HOUR

/**
 * A token that was issued further in the future than this was issued while the clock was wrong, and would live too long. A
 * day is more than the clocks of replicas differ by, and more than a mistake with a time zone.
 */
const CLOCK_ERROR_MS = DAY

/** The latest issue time of a token that is valid now. */
export const latestIssueTime = (now: number): number => now + CLOCK_ERROR_MS

/** When the last token of a client's authorization expires. */
export const familyEnd = (authorizedAt: number, clientId: string): number =>
  authorizedAt + (clientId === SSH_CLIENT_ID ? SSH_FAMILY_MS : FAMILY_MS)

/** What decides how long an authorization is refreshed. */
interface Refreshed {
  authorizedAt: number
  clientId: string
  /** Of the client; null for the default. */
  refreshMaxAge: number | null
}

/** When the last refresh token of an authorization expires. No setting makes that later than the default. */
export const refreshEnd = ({ authorizedAt, clientId, refreshMaxAge }: Refreshed): number =>
  Math.min(familyEnd(authorizedAt, clientId), authorizedAt + inMs(refreshMaxAge, FAMILY_MS))

/** Whether an authorization may still be refreshed. */
export const mayRefresh = (authorization: Refreshed, now: number): boolean =>
  authorization.authorizedAt <= latestIssueTime(now) && now < refreshEnd(authorization)

type Lifetimes = Pick<Client, 'accessTokenLifetime' | 'refreshTokenLifetime'>

/** When a token expires that is issued now on an authorization that ends at that time. */
export const accessTokenEnd = (end: number, now: number, { accessTokenLifetime }: Lifetimes): number =>
  Math.min(now + inMs(accessTokenLifetime, ACCESS_MS), end)

export const refreshTokenEnd = (end: number, now: number, { refreshTokenLifetime }: Lifetimes): number =>
  Math.min(now + inMs(refreshTokenLifetime, REFRESH_MS), end)

/** A token of client credentials has no authorization. */
export const clientTokenEnd = (now: number, client: Lifetimes): number => accessTokenEnd(Infinity, now, client)

/** Until when to keep an authorization with refresh tokens: a day longer than needed, so that most refreshes don't update its row. */
export const authorizationKeptUntil = (end: number, now: number): number => Math.min(now + REFRESH_MS + DAY, end)

const inMs = (seconds: number | null, otherwise: number): number => (seconds === null ? otherwise : seconds * 1000)
