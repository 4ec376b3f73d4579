import { refuseLastAdministrator } from '../access/administrators.ts'
import { refuseIfHoldsMore } from '../access/holdings.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { retireUsername } from '../users/retired-usernames.ts'
import { holdAccount } from '../users/user-lock-store.ts'
import { cutAccess } from './cut-access.ts'
import { markDeleted } from './deleted-user-store.ts'
import { type Ended, NOTHING_ENDED } from './ended.ts'
import { removeDeletedUser } from './remove-deleted-users.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals' | 'blobs' | 'log'>

/** The request waits this long at most for the removal of the rest; `removeDeletedUsers` continues it. */
const MAX_REMOVAL_MS = 500

/**
 * Deletes an account for good, with everything that belongs to it. The certificate log and the audit trail stay. One
 * transaction ends all access and hides the account; the rest of its rows is deleted in slices afterwards.
 */
export async function deleteUser(services: Needs, userId: string, actor: SignedInActor): Promise<Ended> {
  const ended = await administer(services, actor, async (trx, held) => {
    const { user } = (await holdAccount(trx, userId)) ?? refuse('not_found', 'There is no such user.')
    await refuseIfHoldsMore(trx, held, userId)
    if (userId === held.userId) refuse('conflict', "You can't delete your own account.")
    await refuseLastAdministrator(trx, [userId])
    const cut = await cutAccess(services, trx, [userId], 'The account was deleted.')
    await markDeleted(trx, userId, services.now())
    await retireUsername(trx, { username: user.preferredUsername, userId, now: services.now() })
    await recordEvent(services, trx, {
      action: 'user.deleted',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
      data: { email: user.email, ended: cut.get(userId) },
    })
    return cut.get(userId) ?? NOTHING_ENDED
  })
  await removeDeletedUser(services, userId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted user is not removed yet; it is tried again.'),
  )
  return ended
}
