import { Type } from 'typebox'
import { type Lesser, Nullable, Time } from '../../platform/http/contracts.ts'
import type { Trx } from '../../storage/database.ts'
import type { OpenWord } from '../../vocabulary/open-word.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { RowLock } from '../users/lock-user.ts'
import type { User } from '../users/user.ts'

/** A session as its owner sees it. */
export const Session = Type.Object(
  {
    id: Type.String(),
    ipAddress: Type.String(),
    geolocation: Type.Object({
      country: Nullable(Type.String()),
      city: Nullable(Type.String()),
      region: Nullable(Type.String()),
    }),
    userAgent: Nullable(Type.String()),
    createdAt: Time,
    lastUsedAt: Time,
    expiresAt: Time,
    current: Type.Boolean(),
  },
  { title: 'Session' },
)
export type Session = Type.Static<typeof Session>

/** The session of the request. */
export const OwnSession = Type.Object(
  {
    ...Session.properties,
    freshUntil: Type.Union([Time, Type.Null()], {
      description: 'Until when its sign-in, or a later proof, counts as fresh. Null: it does not any more.',
    }),
  },
  { title: 'OwnSession' },
)
export type OwnSession = Type.Static<typeof OwnSession>

/** Who sent a request, read from the database for each request: only what most requests need. */
export interface SignedIn {
  user: { id: string; email: string; preferredUsername: string }
  session: {
    id: string
    createdAt: number
    lastUsedAt: number
    /** When it was last proved who has the session. Null: before that was stored. */
    provedAt: number | null
    /** The same for applications, as auth_time. */
    authTime: number
  }
  method: SignInMethod
  amr: string[]
  /** By a passkey that verified its user. */
  verified: boolean
  /** It is less than a role of the user demands. Only routes that say so let such a session in. */
  fallsShort: boolean
  /** What the route lets such a session do, behind its guard. */
  lesser?: Lesser | undefined
  /** The permission that the guard of the route requires besides a session. */
  permission: Permission | null
}

/** Who sent a request with an access token instead of a session. */
export interface TokenBearer extends Pick<SignedIn, 'user' | 'permission'> {
  token: BearerToken
}

/** An access token that acts for a person here. */
export interface BearerToken {
  /** Names the sign-in that the token comes from. */
  authorizationHash: string
  /** When the last token of that sign-in expires. */
  authorizedUntil: number
  /** Whether token and account are still good. Both stay so until the transaction ends, as with `lockSession`. */
  lock(trx: Trx, now: number, lock: RowLock): Promise<boolean>
}

export type Caller = SignedIn | TokenBearer

/** The same with the whole account and its permissions. */
export interface SignedInAccount extends SignedIn {
  user: User
  session: SignedIn['session'] & OwnSession
  permissions: Set<OpenWord<Permission>>
}

const HOUR = 3_600_000
/** A session that is not remembered ends when it was not used for this long. */
export const IDLE_MS = 12 * HOUR
/** It also ends this long after the sign-in. */
export const UNREMEMBERED_MS = 24 * HOUR
export const REMEMBERED_MS = 30 * 24 * HOUR
/** For how long after a sign-in the browser may make a passkey by itself. */
export const PASSKEY_OFFER_MS = 5 * 60_000
/** `lastUsedAt` is written no more often than this. */
export const TOUCH_MS = 60_000
