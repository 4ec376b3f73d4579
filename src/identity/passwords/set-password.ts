import { revokeTokensOfUsers } from '../../oauth/tokens/revoke-tokens.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { notify } from '../notifications/notify.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { deleteEmailTokens } from '../sign-in/email-token-store.ts'
import { updatePasswordHash } from './password-store.ts'

/**
 * Sets a new password. Every session but the one that set it ends, applications lose their tokens (grants stay), and links
 * that were sent before end.
 */
export async function setPassword(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  userId: string,
  passwordHash: string,
  keepSessionId?: string,
): Promise<void> {
  await updatePasswordHash(trx, userId, passwordHash)
  await deleteEmailTokens(trx, userId, ['reset', 'invitation'])
  await endSessions(services, trx, userId, keepSessionId)
  await revokeTokensOfUsers(trx, [userId], services.now())
  await notify(services, trx, userId, 'security.password_changed', {})
}
