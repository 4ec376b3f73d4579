import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { LOCALES } from '../../vocabulary/locales.ts'

/** A user as the API shows one. */
export const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    email_verified: Type.Boolean(),
    displayName: Nullable(Type.String()),
    given_name: Nullable(Type.String()),
    family_name: Nullable(Type.String()),
    preferredUsername: Type.String(),
    disabled_at: Nullable(Time),
    createdAt: Time,
    lastLoginAt: Nullable(Time),
    avatarUrl: Nullable(Type.String()),
    locale: Type.Enum([...LOCALES], { description: 'The language of mails.' }),
    roles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  },
  { title: 'User' },
)
export type User = Type.Static<typeof User>

/** The version makes a new avatar a new address, so that caches never show the old one. */
export const avatarUrl = (userId: string, version: string | null): string | null =>
  version === null ? null : `/api/account/profile/avatar?user=${userId}&v=${version}`
