import { findHoldings } from '../access/holdings.ts'
import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isDuplicate } from '../storage/failure.ts'
import { refuseUnusableUsername } from '../users/usable-username.ts'
import { type ProfileChange, profileColumns } from '../users/profile-columns.ts'
import type { User } from '../users/user.ts'
import { updateUser } from '../users/user-store.ts'

/** Changes what is one's own to change. The username opens UNIX accounts, so it stops being that with the right to certificates. */
export async function updateProfile(
  services: Services,
  { user }: SignedIn,
  asked: ProfileChange,
  actor: Actor,
): Promise<User> {
  const { preferredUsername } = asked
  if (preferredUsername !== undefined && preferredUsername !== user.preferredUsername) {
    if ((await findHoldings(services.db, user.id)).permissions.has('ssh:cert:issue')) {
      refuse(
        'forbidden',
        'Your username opens UNIX accounts through SSH certificates. Only an administrator can change it.',
      )
    }
    await refuseUnusableUsername(services.db, preferredUsername)
  }
  try {
    return await services.db.transaction().execute(async (trx) => {
      const updated = await updateUser(trx, user.id, profileColumns(asked))
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
