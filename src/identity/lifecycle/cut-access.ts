import { revokeTokensOfUsers } from '../../oauth/tokens/revoke-tokens.ts'
import type { Services } from '../../platform/services.ts'
import { deleteAppPasswordsOfUsers } from '../../proxy/app-passwords/app-password-store.ts'
import { revokeCertificatesOfUsers } from '../../ssh/revocation/revoke-certificates.ts'
import type { Trx } from '../../storage/database.ts'
import { endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { deleteEmailTokensOfUsers } from '../sign-in/email-token-store.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browser-store.ts'
import { lockUsers } from '../users/user-lock-store.ts'
import type { Ended } from './ended.ts'

/**
 * Ends all access of these users in one transaction. Certificates come last: all revocations update one row, and no
 * transaction should keep it locked while it waits for another row.
 */
export async function cutAccess(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  userIds: string[],
  reason: string,
): Promise<Map<string, Ended>> {
  if (userIds.length === 0) return new Map()
  await lockUsers(trx, userIds)
  const tokens = await revokeTokensOfUsers(trx, userIds, services.now())
  const sessions = await endSessionsOfUsers(services, trx, userIds)
  await deleteAppPasswordsOfUsers(trx, userIds)
  await deleteEmailTokensOfUsers(trx, userIds)
  await deleteKnownBrowsersOfUsers(trx, userIds)
  const certificates = await revokeCertificatesOfUsers(services, trx, userIds, reason)
  return new Map(
    userIds.map((id) => [
      id,
      { sessions: sessions.get(id) ?? 0, tokens: tokens.get(id) ?? 0, certificates: certificates.get(id) ?? 0 },
    ]),
  )
}
