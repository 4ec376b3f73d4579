import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { isAdministrator, refuseIfHoldsMore } from '../access/holdings.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { deleteRetiredUsername } from '../users/retired-username-store.ts'
import { findUser } from '../users/user-store.ts'

/**
 * Frees a username that is held back for whoever gave it up. Hosts may still have the UNIX account of that name, so the name of
 * somebody who holds more than the caller stays. What the person of a deleted account held is not known any more.
 */
export const releaseUsername = (
  services: Pick<Services, 'db' | 'now' | 'signals'>,
  username: string,
  actor: SignedInActor,
): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const retired = await deleteRetiredUsername(trx, username)
    if (!retired || retired.reservedUntil <= services.now())
      return refuse('not_found', 'This username is not held back for anybody.')
    if (!isAdministrator(held) && !(await findUser(trx, retired.userId)))
      refuse('forbidden', 'Only an administrator frees the username of a deleted account.')
    await refuseIfHoldsMore(trx, held, retired.userId, 'everything')
    await recordEvent(services, trx, {
      action: 'user.username_released',
      outcome: 'success',
      actor,
      target: { type: 'user', id: retired.userId },
      data: { username },
    })
    return undefined
  })
