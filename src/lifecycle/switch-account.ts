import { type Actor, recordEvents } from '../audit/record-event.ts'
import { notifyAdministrators } from '../notifications/notify-administrators.ts'
import type { Services } from '../services.ts'
import type { Trx } from '../storage/database.ts'
import { cutAccess, type Ended } from './cut-access.ts'
import { countPlansOf } from './lifecycle-store.ts'

type Needs = Pick<Services, 'now' | 'signals'>

export interface Switch {
  userId: string
  actor: Actor
  /** Set when it was planned ahead. */
  lifecycleActionId?: string
}

/** Turns people off everywhere. The only way to, now or at a planned time. Doing it again cuts and tells nothing. */
export async function switchOff(services: Needs, trx: Trx, asked: Switch[]): Promise<Map<string, Ended>> {
  const users = await trx
    .updateTable('users')
    .set({ disabled_at: services.now() })
    .where(
      'id',
      'in',
      asked.map(({ userId }) => userId),
    )
    .where('disabled_at', 'is', null)
    .returning(['id', 'email', 'display_name'])
    .execute()
  const about = describe(asked, users)
  await tell(services, trx, 'user.disabled', about)
  await tellOfPlans(services, trx, about)
  const ended = await cutAccess(services, trx, idsOf(users), DISABLED)
  await record(services, trx, 'user.disabled', about, ended)
  return ended
}

/** Accounts come back, and nothing that was cut: whatever a sign-in under way left behind meanwhile goes too. */
export async function switchOn(services: Needs, trx: Trx, asked: Switch[]): Promise<void> {
  const users = await trx
    .updateTable('users')
    .set({ disabled_at: null })
    .where(
      'id',
      'in',
      asked.map(({ userId }) => userId),
    )
    .where('disabled_at', 'is not', null)
    // Whatever becomes of the row of a deleted account, it does not come back.
    .where('deleted_at', 'is', null)
    .returning(['id', 'email', 'display_name'])
    .execute()
  const about = describe(asked, users)
  await tell(services, trx, 'user.enabled', about)
  await cutAccess(services, trx, idsOf(users), DISABLED)
  await record(services, trx, 'user.enabled', about)
}

const DISABLED = 'The account was disabled.'

interface Changed {
  id: string
  email: string
  display_name: string | null
}

interface About extends Switch {
  email: string
  displayName: string | null
}

const idsOf = (users: Changed[]): string[] => users.map(({ id }) => id)

/** Only those whose account was changed: the others were so already. */
function describe(asked: Switch[], changed: Changed[]): About[] {
  const users = new Map(changed.map((user) => [user.id, user]))
  return asked.flatMap((each) => {
    const user = users.get(each.userId)
    return user ? [{ ...each, email: user.email, displayName: user.display_name }] : []
  })
}

type Action = 'user.disabled' | 'user.enabled'

const tell = (services: Needs, trx: Trx, type: Action, about: About[]): Promise<void> =>
  notifyAdministrators(
    services,
    trx,
    about.map(({ userId, email, displayName, actor }) => ({
      type,
      data: { userId, email, displayName, actorId: actor.id },
    })),
  )

/** What somebody has planned is still carried out, or fails, after they were disabled: administrators decide about it. */
async function tellOfPlans(services: Needs, trx: Trx, about: About[]): Promise<void> {
  const plans = await countPlansOf(
    trx,
    about.map(({ userId }) => userId),
  )
  const messages = about.flatMap(({ userId, email, displayName, actor }) => {
    const pending = plans.get(userId) ?? 0
    if (pending === 0) return []
    const data = { userId, email, displayName, actorId: actor.id, pending }
    return [{ type: 'lifecycle.planner_disabled' as const, data }]
  })
  await notifyAdministrators(services, trx, messages)
}

const record = (services: Needs, trx: Trx, action: Action, about: About[], ended?: Map<string, Ended>): Promise<void> =>
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
