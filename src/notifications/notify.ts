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

/**
 * Tells one person something, as part of the change that it is about: both happen or neither. The position comes from
 * the user's own row, whose lock makes the order of positions the order of commits, so that a stream that has seen one
 * position has seen all before it.
 */
export async function notify<T extends NotificationType>(
  { now, signals }: Pick<Services, 'now' | 'signals'>,
  db: Db,
  userId: string,
  type: T,
  data: NotificationData[T],
): Promise<void> {
  const counted = await db
    .updateTable('users')
    .set({ last_notification: sql<number>`last_notification + 1` })
    .where('id', '=', userId)
    .returning('last_notification')
    .executeTakeFirst()
  if (!counted) return
  await db
    .insertInto('notifications')
    .values({
      id: newId(),
      user_id: userId,
      position: counted.last_notification,
      type,
      data: JSON.stringify(data),
      created_at: now(),
      read_at: null,
    })
    .execute()
  await signals.emit(db, 'notifications', { userId })
}
