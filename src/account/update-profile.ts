import { findHoldings } from '../access/holdings.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { isDuplicate } from '../storage/failure.ts'
import type { Trx } from '../storage/schema.ts'
import { refuseUnusableUsername } from '../users/usable-username.ts'
import { type ProfileChange, profileColumns } from '../users/profile-columns.ts'
import type { User } from '../users/user.ts'
import { findUser, updateUser } from '../users/user-store.ts'

/** Changes what is one's own to change. The username opens UNIX accounts, so it stops being that with the right to certificates. */
export async function updateProfile(services: Services, asked: ProfileChange, actor: SignedInActor): Promise<User> {
  const { preferredUsername } = asked
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      if (preferredUsername !== undefined) await refuseUsername(trx, actor.id, preferredUsername)
      const updated = await updateUser(trx, actor.id, profileColumns(asked))
      if (!updated) return refuse('unauthenticated', 'Please sign in.')
      await recordEvent(services, trx, {
        action: 'user.profile_updated',
        outcome: 'success',
        actor,
        target: { type: 'user', id: actor.id },
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

async function refuseUsername(trx: Trx, userId: string, wanted: string): Promise<void> {
  if ((await findUser(trx, userId))?.preferredUsername === wanted) return
  if ((await findHoldings(trx, userId)).permissions.has('ssh:cert:issue')) {
    refuse(
      'forbidden',
      'Your username opens UNIX accounts through SSH certificates. Only an administrator can change it.',
    )
  }
  await refuseUnusableUsername(trx, wanted)
}
