import { recordEvents, type Actor } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import type { IdentityServices } from '../access-events.ts'
import { notifyAdministrators } from '../notifications/notify.ts'
import type { Ended } from '../receipts/receipt.ts'
import { listAdministratorIds } from '../roles/administrators.ts'
import { accountExists, accountIsDisabled, accountMayAct } from '../users/account-state.ts'
import { countPlansOf } from './lifecycle-store.ts'
import { revokeAccess } from './revoke-access.ts'

type SwitchServices = Pick<IdentityServices, 'now' | 'signals' | 'accessSubscribers'>

export interface AccountChange {
  userId: string
  actor: Actor
  /** The action that is carried out. */
  lifecycleActionId: string
}

/** Disables accounts and ends all their access. The only way to do so, at once or planned. Repeating it changes nothing. */
export async function disableAccounts(
  services: SwitchServices,
  trx: Trx,
  changes: AccountChange[],
  by: 'disabled' | 'disabled_as_planned',
): Promise<Map<string, Ended>> {
  const users = await markDisabled(trx, userIdsOf(changes), services.now())
  const about = describe(changes, users)
  await notifyOfChange(services, trx, 'user.disabled', about)
  await notifyOfPendingPlans(services, trx, about)
  const actionIds = new Map(about.map((each) => [each.userId, each.lifecycleActionId]))
  const ended = await revokeAccess(services, trx, idsOf(users), { by, actionIds })
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
  const ended = await revokeAccess(services, trx, idsOf(users), { by: 'enabled' })
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

/** An account whose state was changed. */
interface ChangedAccount {
  id: string
  email: string
  displayName: string | null
}

const CHANGED = ['users.id', 'users.email', 'users.display_name as displayName'] as const

/** Disables those of these accounts that may act, and returns them. */
const markDisabled = async (trx: Trx, userIds: string[], at: number): Promise<ChangedAccount[]> =>
  signalled(
    trx,
    await trx
      .updateTable('users')
      .set({ disabled_at: at })
      .where('users.id', 'in', userIds)
      .where(accountMayAct)
      .returning(CHANGED)
      .execute(),
  )

/** Enables those of these accounts that are disabled and not deleted, and returns them. */
const markEnabled = async (trx: Trx, userIds: string[]): Promise<ChangedAccount[]> =>
  signalled(
    trx,
    await trx
      .updateTable('users')
      .set({ disabled_at: null })
      .where('users.id', 'in', userIds)
      .where(accountIsDisabled)
      .where(accountExists)
      .returning(CHANGED)
      .execute(),
  )

function signalled(trx: Trx, changed: ChangedAccount[]): ChangedAccount[] {
  if (changed.length > 0) trx.signal('access-changed', null)
  return changed
}
