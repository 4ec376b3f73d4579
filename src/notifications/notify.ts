import { sql } from 'kysely'
import { newOrderedId } from '../ids.ts'
import type { Services } from '../services.ts'
import { rowInserter } from '../storage/row-inserter.ts'
import type { Db } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'

/** What people are told about, and what each kind carries. */
export interface NotificationData {
  'security.passkey_added': { passkeyId: string; name: string }
  'security.passkey_removed': { passkeyId: string; name: string }
  'security.password_changed': Record<string, never>
  'security.new_login': { ipAddress: string; userAgent: string | null; country: string | null; city: string | null }
  'oauth.grant_added': { client_id: string; name: string; scopes: string[] }
  'ssh.cert_issued': { certificateId: string; serial: string; keyId: string }
  /** For administrators: everything is as it was then, except for what the restore ended. */
  'service.restored': { copiedAt: number | null; keptAccess: boolean }
  'user.disabled': AboutUser
  'user.enabled': AboutUser
}

interface AboutUser {
  userId: string
  email: string
  displayName: string | null
  actorId: string | null
}

export type NotificationType = keyof NotificationData

type Needs = Pick<Services, 'now' | 'signals'>

/** Tells one person something, as part of the change that it is about: both happen or neither. */
export const notify = <T extends NotificationType>(
  services: Needs,
  db: Db,
  userId: string,
  type: T,
  data: NotificationData[T],
): Promise<void> => notifyEach(services, db, [userId], [{ type, data } as Message])

/** A kind and what it carries, as a pair that fits. */
export type Message = { [T in NotificationType]: { type: T; data: NotificationData[T] } }[NotificationType]

const insertNotifications = rowInserter('notifications', [
  'id',
  'user_id',
  'position',
  'type',
  'data',
  'created_at',
  'read_at',
])

const takePositions = statement((db, value: Values<{ userId: string; count: number }>) =>
  db
    .updateTable('users')
    .set({ last_notification: sql<number>`last_notification + ${value('count')}` })
    .where('id', '=', value('userId'))
    .returning('last_notification as last'),
)

/** Tells several people the same things. */
export const notifyEach = (services: Needs, db: Db, userIds: string[], messages: Message[]): Promise<void> =>
  notifyPeople(
    services,
    db,
    userIds.flatMap((userId) => messages.map((message) => ({ userId, message }))),
  )

/**
 * Tells several people something each. The position comes from each person's own row, whose lock makes the order of
 * positions the order of commits, so that a stream that has seen one position has seen all before it.
 */
export async function notifyPeople(
  { now, signals }: Needs,
  db: Db,
  told: { userId: string; message: Message }[],
): Promise<void> {
  const rows = []
  const toldTo = Map.groupBy(told, ({ userId }) => userId)
  // In one order everywhere, so that no two transactions wait for each other's rows.
  for (const userId of [...toldTo.keys()].toSorted()) {
    const theirs = toldTo.get(userId) ?? []
    const [taken] = await takePositions(db, { userId, count: theirs.length })
    if (!taken) continue
    let position = taken.last - theirs.length
    for (const { message } of theirs) {
      const { type, data } = message
      const about = { type, data: JSON.stringify(data), created_at: now(), read_at: null }
      rows.push({ id: newOrderedId(), user_id: userId, position: ++position, ...about })
    }
    await signals.emit(db, 'notifications', { userId })
  }
  await insertNotifications(db, rows)
}
