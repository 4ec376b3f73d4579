import { listAdministratorIds } from '../access/administrators.ts'
import { type Actor, recordEvents } from '../audit/record-event.ts'
import { notifyEach } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { cutAccess, type Ended } from './cut-access.ts'

type Needs = Pick<Services, 'now' | 'signals'>

export interface Switch {
  userId: string
  actor: Actor
  /** Set when it was planned ahead. */
  lifecycleActionId?: string
}

export const NOTHING_ENDED: Ended = { sessions: 0, tokens: 0, certificates: 0 }

/** Turns people off everywhere. The only way to, now or at a planned time. Doing it again cuts and tells nothing. */
export async function switchOff(services: Needs, trx: Db, asked: Switch[]): Promise<Map<string, Ended>> {
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
  const ended = new Map<string, Ended>()
  for (const { id } of users) ended.set(id, await cutAccess(services, trx, id, DISABLED))
  await tell(services, trx, 'user.disabled', asked, users, (id) => ({ ended: ended.get(id) }))
  return ended
}

/** Accounts come back, and nothing that was cut: whatever a sign-in under way left behind meanwhile goes too. */
export async function switchOn(services: Needs, trx: Db, asked: Switch[]): Promise<void> {
  const users = await trx
    .updateTable('users')
    .set({ disabled_at: null })
    .where(
      'id',
      'in',
      asked.map(({ userId }) => userId),
    )
    .where('disabled_at', 'is not', null)
    .returning(['id', 'email', 'display_name'])
    .execute()
  for (const { id } of users) await cutAccess(services, trx, id, DISABLED)
  await tell(services, trx, 'user.enabled', asked, users, () => ({}))
}

const DISABLED = 'The account was disabled.'

async function tell(
  services: Needs,
  trx: Db,
  action: 'user.disabled' | 'user.enabled',
  asked: Switch[],
  changed: { id: string; email: string; display_name: string | null }[],
  more: (userId: string) => Record<string, unknown>,
): Promise<void> {
  if (changed.length === 0) return
  const users = new Map(changed.map((user) => [user.id, user]))
  const about = asked.flatMap(({ userId, actor, lifecycleActionId }) => {
    const user = users.get(userId)
    return user ? [{ userId, actor, lifecycleActionId, email: user.email, displayName: user.display_name }] : []
  })
  await notifyEach(
    services,
    trx,
    await listAdministratorIds(trx),
    about.map(({ userId, email, displayName, actor }) => ({
      type: action,
      data: { userId, email, displayName, actorId: actor.id },
    })),
  )
  await recordEvents(
    services,
    trx,
    about.map(({ userId, email, actor, lifecycleActionId }) => ({
      action,
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
      data: { email, ...(lifecycleActionId === undefined ? {} : { lifecycleActionId }), ...more(userId) },
    })),
  )
}
