import { sql } from 'kysely'
import { newId } from '../ids.ts'
import type { Services } from '../services.ts'
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
): Promise<void> => notifyEach(services, db, [userId], type, data)

/**
 * Tells several people the same. The position comes from each person's own row, whose lock makes the order of positions
 * the order of commits, so that a stream that has seen one position has seen all before it.
 */
export async function notifyEach<T extends NotificationType>(
  { now, signals }: Needs,
  db: Db,
  userIds: string[],
  type: T,
  data: NotificationData[T],
): Promise<void> {
  if (userIds.length === 0) return
  const counted = await db
    .updateTable('users')
    .set({ last_notification: sql<number>`last_notification + 1` })
    .where('id', 'in', userIds)
    .returning(['id', 'last_notification'])
    .execute()
  if (counted.length === 0) return
  await db
    .insertInto('notifications')
    .values(
      counted.map(({ id, last_notification }) => ({
        id: newId(),
        user_id: id,
        position: last_notification,
        type,
        data: JSON.stringify(data),
        created_at: now(),
        read_at: null,
      })),
    )
    .execute()
  for (const { id } of counted) await signals.emit(db, 'notifications', { userId: id })
}
