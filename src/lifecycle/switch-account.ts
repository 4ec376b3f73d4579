import { listAdministratorIds } from '../access/administrators.ts'
import { type Actor, recordEvent } from '../audit/record-event.ts'
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

/** Turns a person off everywhere. The only way to, now or at a planned time. Doing it again cuts and tells nothing. */
export async function switchOff(services: Needs, trx: Db, asked: Switch): Promise<Ended> {
  const user = await trx
    .updateTable('users')
    .set({ disabled_at: services.now() })
    .where('id', '=', asked.userId)
    .where('disabled_at', 'is', null)
    .returning(['email', 'display_name'])
    .executeTakeFirst()
  if (!user) return NOTHING_ENDED
  const ended = await cutAccess(services, trx, asked.userId, 'The account was disabled.')
  await tell(services, trx, 'user.disabled', asked, user, { ended })
  return ended
}

/** The account comes back, and nothing that was cut: whatever a sign-in under way left behind meanwhile goes too. */
export async function switchOn(services: Needs, trx: Db, asked: Switch): Promise<void> {
  const user = await trx
    .updateTable('users')
    .set({ disabled_at: null })
    .where('id', '=', asked.userId)
    .where('disabled_at', 'is not', null)
    .returning(['email', 'display_name'])
    .executeTakeFirst()
  if (!user) return
  await cutAccess(services, trx, asked.userId, 'The account was disabled.')
  await tell(services, trx, 'user.enabled', asked, user, {})
}

async function tell(
  services: Needs,
  trx: Db,
  action: 'user.disabled' | 'user.enabled',
  { userId, actor, lifecycleActionId }: Switch,
  { email, display_name }: { email: string; display_name: string | null },
  data: Record<string, unknown>,
): Promise<void> {
  const about = { userId, email, displayName: display_name, actorId: actor.id }
  await notifyEach(services, trx, await listAdministratorIds(trx), action, about)
  await recordEvent(services, trx, {
    action,
    outcome: 'success',
    actor,
    target: { type: 'user', id: userId },
    data: { email, ...(lifecycleActionId === undefined ? {} : { lifecycleActionId }), ...data },
  })
}
