import { type Actor, recordEvents } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import type { IdentityServices } from '../access-events.ts'
import { listAdministratorIds } from '../access/administrator-store.ts'
import { notifyAdministrators } from '../notifications/notify-administrators.ts'
import { type ChangedAccount, markDisabled, markEnabled } from './account-state-store.ts'
import type { Ended } from './ended.ts'
import { countPlansOf } from './lifecycle-store.ts'
import { revokeAccess } from './revoke-access.ts'

type SwitchServices = Pick<IdentityServices, 'now' | 'signals' | 'accessSubscribers'>

export interface AccountChange {
  userId: string
  actor: Actor
  /** Set when it was planned ahead. */
  lifecycleActionId?: string
}

/** Disables accounts and ends all their access. The only way to do so, at once or planned. Repeating it changes nothing. */
export async function disableAccounts(
  services: SwitchServices,
  trx: Trx,
  changes: AccountChange[],
): Promise<Map<string, Ended>> {
  const users = await markDisabled(trx, userIdsOf(changes), services.now())
  const about = describe(changes, users)
  await notifyOfChange(services, trx, 'user.disabled', about)
  await notifyOfPendingPlans(services, trx, about)
  const ended = await revokeAccess(services, trx, idsOf(users), 'disabled')
  await record(services, trx, 'user.disabled', about, ended)
  return ended
}

/** Enables accounts again. Access that was ended stays ended; what a sign-in under way has added since is ended too. */
export async function enableAccounts(
  services: SwitchServices,
  trx: Trx,
  changes: AccountChange[],
): Promise<Map<string, Ended>> {
  const users = await markEnabled(trx, userIdsOf(changes))
  const about = describe(changes, users)
  await notifyOfChange(services, trx, 'user.enabled', about)
  const ended = await revokeAccess(services, trx, idsOf(users), 'enabled')
  await record(services, trx, 'user.enabled', about)
  return ended
}

interface About extends AccountChange {
  email: string
  displayName: string | null
}

const idsOf = (users: ChangedAccount[]): string[] => users.map(({ id }) => id)
const userIdsOf = (changes: { userId: string }[]): string[] => changes.map(({ userId }) => userId)

/** Only those whose account was changed: the others were in that state already. */
function describe(changes: AccountChange[], changed: ChangedAccount[]): About[] {
  const users = new Map(changed.map((user) => [user.id, user]))
  return changes.flatMap((each) => {
    const user = users.get(each.userId)
    return user ? [{ ...each, email: user.email, displayName: user.displayName }] : []
  })
}

type Action = 'user.disabled' | 'user.enabled'

const notifyOfChange = (services: SwitchServices, trx: Trx, type: Action, about: About[]): Promise<void> =>
  notifyAdministrators(
    services,
    trx,
    about.map(({ userId, email, displayName, actor }) => ({
      type,
      data: { userId, email, displayName, actorId: actor.id },
    })),
  )

/** Actions that a disabled user has planned stay pending. Administrators are notified, so that they can cancel them. */
async function notifyOfPendingPlans(services: SwitchServices, trx: Trx, about: About[]): Promise<void> {
  const plannerIds = userIdsOf(about)
  const plans = await countPlansOf(trx, plannerIds)
  if (plans.size === 0) return
  // What is planned for an administrator is not counted in what that one is told.
  const own = new Map<string, Map<string, number>>()
  for (const id of await listAdministratorIds(trx)) own.set(id, await countPlansOf(trx, plannerIds, id))
  await notifyAdministrators(services, trx, (administratorId) =>
    about.flatMap(({ userId, email, displayName, actor }) => {
      const pending = (plans.get(userId) ?? 0) - (own.get(administratorId)?.get(userId) ?? 0)
      if (pending === 0) return []
      const data = { userId, email, displayName, actorId: actor.id, pending }
      return [{ type: 'lifecycle.planner_disabled' as const, data }]
    }),
  )
}

const record = (
  services: SwitchServices,
  trx: Trx,
  action: Action,
  about: About[],
  ended?: Map<string, Ended>,
): Promise<void> =>
  recordEvents(
    services,
    trx,
    about.map(({ userId, email, actor, lifecycleActionId }) => ({
      action,
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
      data: { email, lifecycleActionId, ended: ended?.get(userId) },
    })),
  )
