import type { Updateable } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import type { Locale } from '../../vocabulary/locales.ts'

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
