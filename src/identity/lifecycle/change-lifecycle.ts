import { refuse, refuseField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import type { IdentityServices } from '../access-events.ts'
import { refuseLastAdministrator } from '../roles/administrators.ts'
import { refuseIfHoldsMore, type UserHoldings } from '../roles/holdings.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { lockUser } from '../users/lock-user.ts'
import { refuseUnknownUser, findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import type { ActionName, LifecycleAction } from './lifecycle-action.ts'
import { addAction, findActionStatus, markCancelled } from './lifecycle-store.ts'
import { type Ended, NOTHING_ENDED } from './revoke-access.ts'
import { disableAccounts, enableAccounts } from './switch-account.ts'

type LifecycleServices = Pick<IdentityServices, 'db' | 'now' | 'signals' | 'accessSubscribers'>

interface SwitchRequest {
  userId: string
  action: ActionName
  reason?: string | undefined
  discreet?: boolean | undefined
}

/** Disables or enables an account at once, and counts what that ended. It is listed with the planned actions. */
export const changeNow = (
  services: LifecycleServices,
  request: SwitchRequest,
  actor: SignedInActor,
): Promise<{ user: User; ended: Ended }> =>
  administer(services, actor, async (trx, held) => {
    const { userId, action } = request
    await refuseChangingUser(trx, held, userId, action)
    if (action === 'disable') {
      if (userId === held.userId) refuse('conflict', "You can't disable your own account.")
      await refuseLastAdministrator(trx, [userId])
    }
    const now = services.now()
    const switchAccounts = action === 'enable' ? enableAccounts : disableAccounts
    const ended = (await switchAccounts(services, trx, [{ userId, actor }])).get(userId) ?? NOTHING_ENDED
    await addAction(trx, { ...request, executeAt: now, requestedBy: actor, receipt: ended, now })
    return { user: (await findUser(trx, userId)) ?? refuse('not_found', 'There is no such user.'), ended }
  })

/**
 * Plans a disable or enable for later. `runDueActions` checks again, at that time, what has to hold then. Users can't plan
 * for themselves: a user who is about to be disabled could plan to be enabled again.
 */
export async function planAction(
  services: LifecycleServices,
  request: SwitchRequest & { executeAt: number },
  actor: SignedInActor,
): Promise<string> {
  const { userId, action, executeAt } = request
  refusePast(executeAt, services.now())
  return administer(services, actor, async (trx, held) => {
    await refuseChangingUser(trx, held, userId, action)
    if (userId === held.userId) refuse('conflict', "You can't plan an action for your own account.")
    if (action === 'disable') await refuseLastAdministrator(trx, [userId])
    // A certificate that is issued at the same moment comes before, or ends with this action.
    await lockUser(trx, userId)
    const id = await addAction(trx, { ...request, requestedBy: actor, now: services.now() })
    await record(services, trx, 'lifecycle.scheduled', actor, userId, { lifecycleActionId: id, action, executeAt })
    return id
  })
}

/** Only a pending action can be cancelled, and not by the user whom it is about. */
export const cancelAction = (
  services: LifecycleServices,
  { userId, actionId }: { userId: string; actionId: string },
  actor: SignedInActor,
): Promise<LifecycleAction> =>
  administer(services, actor, async (trx, held) => {
    // Before anything is looked up: whether something is planned is not told to the person whom it is about.
    if (userId === held.userId) refuse('forbidden', 'Somebody else has to cancel what is planned for your account.')
    const status = (await findActionStatus(trx, userId, actionId)) ?? refuse('not_found', 'There is no such action.')
    await refuseIfHoldsMore(trx, held, userId, 'access')
    const cancelled = await markCancelled(trx, actionId, actor.id, services.now())
    if (!cancelled) return refuse('conflict', `Only a pending action can be cancelled; this one is ${status}.`)
    await record(services, trx, 'lifecycle.cancelled', actor, userId, { lifecycleActionId: actionId })
    return cancelled
  })

/** Disabling somebody gives nothing to whoever does it. */
async function refuseChangingUser(trx: Trx, held: UserHoldings, userId: string, action: ActionName): Promise<void> {
  await refuseUnknownUser(trx, userId)
  await refuseIfHoldsMore(trx, held, userId, action === 'disable' ? 'permissions' : 'access')
}

/** A time in seconds, read as milliseconds, is a date in 1970. */
const MAX_SECONDS = 100_000_000_000

export function refusePast(executeAt: number, now: number): void {
  if (executeAt >= now) return
  const hint = executeAt < MAX_SECONDS ? ' It looks like seconds; give milliseconds.' : ''
  refuseField('executeAt', `This time is in the past.${hint}`)
}

const record = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  userId: string,
  data: Record<string, unknown>,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'user', id: userId }, data })
