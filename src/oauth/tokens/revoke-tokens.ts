import type { Trx } from '../../storage/database.ts'
import { markCodesOfUsersRevoked } from '../authorize/code-store.ts'
import { latestIssueTime } from './lifetimes.ts'

/**
 * Revokes every code and token of these users by marking the authorizations that they belong to. Consent stays, so that an
 * account that is enabled again need not consent again; its old tokens stay revoked. Returns how many applications had
 * access, for each user for whom there were any: an application with several authorizations counts once.
 */
export async function revokeTokensOfUsers(trx: Trx, userIds: string[], at: number): Promise<Map<string, number>> {
  const revoked = await markCodesOfUsersRevoked(trx, userIds, at)
  const live = revoked.filter(
    ({ expiresAt, createdAt, hasClient }) => hasClient && expiresAt > at && createdAt <= latestIssueTime(at),
  )
  const byUser = Map.groupBy(live, ({ userId }) => userId)
  return new Map([...byUser].map(([userId, codes]) => [userId, new Set(codes.map(({ clientId }) => clientId)).size]))
}
