import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import type { IdentityServices } from '../access-events.ts'
import { openReceipts } from '../receipts/open-receipts.ts'
import { type Ended, NOTHING_ENDED, type Receipt, toReceipt } from '../receipts/receipt.ts'
import { refuseLastAdministrator } from '../roles/administrators.ts'
import { refuseIfHoldsMore, type UserHoldings } from '../roles/holdings.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { lockUser } from '../users/lock-user.ts'
import { userErrors } from '../users/user-errors.ts'
import { refuseUnknownUser, findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import type { ActionName, LifecycleAction } from './lifecycle-action.ts'
import { lifecycleErrors } from './lifecycle-errors.ts'
import { addAction, findActionStatus, markCancelled } from './lifecycle-store.ts'
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
): Promise<{ user: User; ended: Ended; lifecycleActionId: string; receipt: Receipt }> =>
  administer(services, actor, async (trx, held) => {
    const { userId, action } = request
    await refuseChangingUser(trx, held, userId, action)
    if (action === 'enable') await requireFresh(services, trx, actor)
    if (action === 'disable') {
      if (userId === held.userId) refuse(lifecycleErrors.own_account_not_disabled())
      await refuseLastAdministrator(trx, [userId])
    }
    const now = services.now()
    const id = newId()
    const change = [{ userId, actor, lifecycleActionId: id }]
    const counts =
      action === 'enable'
        ? await enableAccounts(services, trx, change)
        : await disableAccounts(services, trx, change, 'disabled')
    const ended = counts.get(userId) ?? NOTHING_ENDED
    await addAction(trx, { ...request, id, executeAt: now, requestedBy: actor, receipt: ended, now })
    const told = action === 'disable' ? await openReceipts(services, trx, [id]) : undefined
    const user = (await findUser(trx, userId)) ?? refuse(userErrors.no_such_user())
    return { user, ended, lifecycleActionId: id, receipt: toReceipt(ended, told?.get(id) ?? [], null) }
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
    if (action === 'enable') await requireFresh(services, trx, actor)
    if (userId === held.userId) refuse(lifecycleErrors.own_action_not_planned())
    if (action === 'disable') await refuseLastAdministrator(trx, [userId])
    // A certificate that is issued at the same moment comes before, or ends with this action.
    await lockUser(trx, userId)
    const id = newId()
    await addAction(trx, { ...request, id, requestedBy: actor, now: services.now() })
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
    if (userId === held.userId) refuse(lifecycleErrors.own_action_not_cancelled())
    const status = (await findActionStatus(trx, userId, actionId)) ?? refuse(lifecycleErrors.no_such_action())
    await refuseIfHoldsMore(trx, held, userId, 'access')
    const cancelled = await markCancelled(trx, actionId, actor.id, services.now())
    if (!cancelled) return refuse(lifecycleErrors.action_not_pending({ status }))
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
  const { time_in_past, time_in_seconds } = lifecycleErrors
  throw atField('executeAt', executeAt < MAX_SECONDS ? time_in_seconds() : time_in_past())
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
