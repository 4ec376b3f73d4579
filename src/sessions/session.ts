import { Type } from 'typebox'
import { Nullable, Time } from '../http/contracts.ts'
import type { User } from '../users/user.ts'
import type { OpenWord } from '../vocabulary/open-word.ts'
import type { Permission } from '../vocabulary/permissions.ts'
import type { SignInMethod } from '../vocabulary/sign-in-methods.ts'

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

/** Who is behind a request, read afresh from the database for each one: no more than most requests ask for. */
export interface SignedIn {
  user: { id: string; email: string; preferredUsername: string }
  session: { id: string; createdAt: number; lastUsedAt: number }
  method: SignInMethod
  amr: string[]
  /** What the guard of the route asked for, besides a session. */
  permission: Permission | null
}

/** All there is to know about who is signed in. */
export interface SignedInAccount extends SignedIn {
  user: User
  session: Session
  permissions: Set<OpenWord<Permission>>
}

const HOUR = 3_600_000
/** Not remembered: ends after this long unused, */
export const IDLE_MS = 12 * HOUR
/** or after this long in all. */
export const UNREMEMBERED_MS = 24 * HOUR
export const REMEMBERED_MS = 30 * 24 * HOUR
/** `lastUsedAt` is written no more often than this. */
export const TOUCH_MS = 60_000
