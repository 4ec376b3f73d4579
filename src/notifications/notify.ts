import { newOrderedId } from '../ids.ts'
import type { Services } from '../services.ts'
import { rowInserter } from '../storage/row-inserter.ts'
import type { Db } from '../storage/schema.ts'

/** What people are told about, and what each kind carries. */
export interface NotificationData {
  'security.passkey_added': { passkeyId: string; name: string }
  'security.passkey_removed': { passkeyId: string; name: string }
  'security.password_changed': Record<string, never>
  'security.new_login': { ipAddress: string; userAgent: string | null; country: string | null; city: string | null }
  'oauth.grant_added': { client_id: string; name: string; scopes: string[] }
  'ssh.cert_issued': { certificateId: string; serial: string; keyId: string }
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

/**
 * Tells several people the same things. The position comes from each person's own row, whose lock makes the order of
 * positions the order of commits, so that a stream that has seen one position has seen all before it.
 */
export async function notifyEach(
  { now, signals }: Needs,
  db: Db,
  userIds: string[],
  messages: Message[],
): Promise<void> {
  if (userIds.length === 0 || messages.length === 0) return
  const counted = await db
    .updateTable('users')
    .set((eb) => ({ last_notification: eb('last_notification', '+', messages.length) }))
    .where('id', 'in', userIds)
    .returning(['id', 'last_notification'])
    .execute()
  const rows = counted.flatMap((user) =>
    messages.map(({ type, data }, index) => ({
      id: newOrderedId(),
      user_id: user.id,
      position: user.last_notification - messages.length + 1 + index,
      type,
      data: JSON.stringify(data),
      created_at: now(),
      read_at: null,
    })),
  )
  await insertNotifications(db, rows)
  for (const { id } of counted) await signals.emit(db, 'notifications', { userId: id })
}
