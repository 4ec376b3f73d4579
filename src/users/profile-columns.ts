import type { Updateable } from 'kysely'
import type { Schema } from '../storage/schema.ts'

/** What people may say about themselves, and administrators about them. Null clears a name; what is absent stays. */
export interface ProfileChange {
  displayName?: string | null
  given_name?: string | null
  family_name?: string | null
  preferredUsername?: string
}

export const profileColumns = (asked: ProfileChange): Updateable<Schema['users']> => ({
  ...(asked.displayName === undefined ? {} : { display_name: asked.displayName }),
  ...(asked.given_name === undefined ? {} : { given_name: asked.given_name }),
  ...(asked.family_name === undefined ? {} : { family_name: asked.family_name }),
  ...(asked.preferredUsername === undefined ? {} : { preferred_username: asked.preferredUsername }),
})
