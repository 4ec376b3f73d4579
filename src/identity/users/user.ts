import type { Updateable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import type { Schema } from '../../storage/schema.ts'
import { LOCALES, type Locale } from '../../vocabulary/locales.ts'

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

/** A name as a person writes it. */
export const PersonName = VisibleName()

/** What users may change about themselves, and administrators about them. Null clears a name; what is absent stays. */
export interface ProfileChange {
  displayName?: string | null
  given_name?: string | null
  family_name?: string | null
  preferredUsername?: string
  locale?: Locale
}

export const profileColumns = (change: ProfileChange): Omit<Updateable<Schema['users']>, 'attributes'> => ({
  ...(change.displayName === undefined ? {} : { display_name: change.displayName }),
  ...(change.given_name === undefined ? {} : { given_name: change.given_name }),
  ...(change.family_name === undefined ? {} : { family_name: change.family_name }),
  ...(change.preferredUsername === undefined ? {} : { preferred_username: change.preferredUsername }),
  ...(change.locale === undefined ? {} : { locale: change.locale }),
})
