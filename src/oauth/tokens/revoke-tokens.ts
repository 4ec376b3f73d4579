import type { Trx } from '../../storage/database.ts'
import { markCodesOfUsersRevoked } from '../authorize/code-store.ts'

/**
 * Revokes every code and token of these users by marking the authorizations they belong to. The grants stay, so that an
 * account that is enabled again need not consent again; its old tokens stay revoked. Answers how many live authorizations
 * were revoked, for each user that had any.
 */
export async function revokeTokensOfUsers(trx: Trx, userIds: string[], at: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { userId, expiresAt } of await markCodesOfUsersRevoked(trx, userIds, at))
    if (expiresAt > at) counts.set(userId, (counts.get(userId) ?? 0) + 1)
  return counts
}
