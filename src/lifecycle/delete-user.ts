import { administer } from '../access/administer.ts'
import { refuseLastAdministrator } from '../access/administrators.ts'
import { refuseChangingMore } from '../access/holdings.ts'
import { avatarBlobName } from '../account/avatar.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { retireUsername } from '../users/retired-usernames.ts'
import { cutAccess, type Ended, NOTHING_ENDED } from './cut-access.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals' | 'blobs' | 'log'>

/** Takes an account away for good, with all that hangs on it. The logs of certificates and of what was done stay. */
export async function deleteUser(services: Needs, userId: string, actor: SignedInActor): Promise<Ended> {
  const { blobs, log } = services
  const { ended, avatar } = await administer(services, actor, async (trx, caller) => {
    const user =
      (await trx.selectFrom('users').select(['email', 'avatar_version']).where('id', '=', userId).executeTakeFirst()) ??
      refuse('not_found', 'There is no such user.')
    await refuseChangingMore(trx, caller, userId)
    if (userId === caller.userId) refuse('conflict', "You can't delete your own account.")
    await refuseLastAdministrator(trx, [userId])
    const cut = await cutAccess(services, trx, [userId], 'The account was deleted.')
    const { username } = await trx
      .deleteFrom('users')
      .where('id', '=', userId)
      .returning('preferred_username as username')
      .executeTakeFirstOrThrow()
    await retireUsername(trx, { username, userId, now: services.now() })
    await recordEvent(services, trx, {
      action: 'user.deleted',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
      data: { email: user.email, ended: cut.get(userId) },
    })
    return { ended: cut.get(userId) ?? NOTHING_ENDED, avatar: user.avatar_version }
  })
  if (avatar !== null) {
    // Nobody points there any more: a picture that can't be deleted now is litter, not an error.
    await blobs
      .delete(avatarBlobName(userId, avatar))
      .catch((error: unknown) => log.warn({ err: error }, 'The avatar of a deleted user is left over.'))
  }
  return ended
}
