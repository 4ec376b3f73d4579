import type { Trx } from '../../storage/database.ts'
import { type AccessEvents, type IdentityServices, publish } from '../access-events.ts'
import { notify } from '../notifications/notify.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { deleteEmailTokens } from '../sign-in/email-token-store.ts'
import { updatePasswordHash } from './password-store.ts'

interface NewPassword {
  userId: string
  passwordHash: string
  keepSessionId?: string
  by: Extract<AccessEvents['signed_out']['by'], 'password_changed' | 'password_reset'>
}

/**
 * Sets a new password. Every session but the one that set it ends, applications lose their tokens (grants stay), and links
 * that were sent before end. After a reset, passwords for programs end too.
 */
export async function setPassword(
  services: Pick<IdentityServices, 'now' | 'signals' | 'accessSubscribers'>,
  trx: Trx,
  { userId, passwordHash, keepSessionId, by }: NewPassword,
): Promise<void> {
  await updatePasswordHash(trx, userId, passwordHash)
  await deleteEmailTokens(trx, userId, ['reset', 'invitation'])
  await endSessions(services, trx, userId, keepSessionId)
  await publish(services, trx, 'signed_out', { userId, by })
  await notify(services, trx, userId, 'security.password_changed', {})
}
