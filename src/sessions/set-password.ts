import { notify } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { endSessions } from './end-sessions.ts'

/** A new password: every session but the one that set it ends, and no link that was sent before works any more. */
export async function setPassword(
  services: Pick<Services, 'now' | 'signals'>,
  db: Db,
  userId: string,
  passwordHash: string,
  keepSessionId?: string,
): Promise<void> {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
  await deleteEmailTokens(db, userId, ['reset', 'invitation'])
  await endSessions(services, db, userId, keepSessionId)
  await notify(services, db, userId, 'security.password_changed', {})
}
