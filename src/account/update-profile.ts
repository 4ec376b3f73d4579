import type { Updateable } from 'kysely'
import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isDuplicate } from '../storage/failure.ts'
import type { Schema } from '../storage/schema.ts'
import { refuseUnusableUsername } from '../users/usable-username.ts'
import type { User } from '../users/user.ts'
import { updateUser } from '../users/user-store.ts'

export interface ProfileChange {
  displayName?: string | null
  given_name?: string | null
  family_name?: string | null
  preferredUsername?: string
}

/** Changes what is one's own to change. The username opens UNIX accounts, so it stops being that with the right to certificates. */
export async function updateProfile(
  services: Services,
  { user, permissions }: SignedIn,
  asked: ProfileChange,
  actor: Actor,
): Promise<User> {
  const { preferredUsername } = asked
  if (preferredUsername !== undefined && preferredUsername !== user.preferredUsername) {
    if (permissions.has('ssh:cert:issue')) {
      refuse(
        'forbidden',
        'Your username opens UNIX accounts through SSH certificates. Only an administrator can change it.',
      )
    }
    await refuseUnusableUsername(services.db, preferredUsername)
  }
  try {
    return await services.db.transaction().execute(async (trx) => {
      const updated = await updateUser(trx, user.id, toColumns(asked))
      if (!updated) return refuse('unauthenticated', 'Please sign in.')
      await recordEvent(services, trx, {
        action: 'user.profile_updated',
        outcome: 'success',
        actor,
        target: { type: 'user', id: user.id },
        data: { fields: Object.keys(asked) },
      })
      return updated
    })
  } catch (error) {
    if (isDuplicate(error, 'users.preferred_username'))
      refuse('conflict', `The username ${preferredUsername} is taken.`)
    throw error
  }
}

const toColumns = (asked: ProfileChange): Updateable<Schema['users']> => ({
  ...(asked.displayName === undefined ? {} : { display_name: asked.displayName }),
  ...(asked.given_name === undefined ? {} : { given_name: asked.given_name }),
  ...(asked.family_name === undefined ? {} : { family_name: asked.family_name }),
  ...(asked.preferredUsername === undefined ? {} : { preferred_username: asked.preferredUsername }),
})
