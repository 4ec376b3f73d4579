import type { Trx } from '../../storage/database.ts'

/**
 * Kills every outstanding code and token of these users by marking the authorizations they hang on. What they have
 * consented to stays, so that an account that is enabled again need not consent anew; its old tokens stay dead.
 * Answers how many live authorizations were cut, for each user that had any.
 */
export async function revokeTokensOfUsers(trx: Trx, userIds: string[], at: number): Promise<Map<string, number>> {
  const rows = await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', 'in', userIds)
    .where('revoked_at', 'is', null)
    // Those that have expired as well: by the clock of another replica they may not have.
    .returning(['user_id', 'expires_at'])
    .execute()
  const counts = new Map<string, number>()
  for (const { user_id, expires_at } of rows) if (expires_at > at) counts.set(user_id, (counts.get(user_id) ?? 0) + 1)
  return counts
}
