import type { Db } from '../storage/schema.ts'

/**
 * Kills every outstanding code and token of a user by marking the authorizations they hang on. What the user has
 * consented to stays, so that an account that is enabled again need not consent anew; its old tokens stay dead.
 * Answers how many live authorizations were cut.
 */
export async function revokeTokensOfUser(db: Db, userId: string, at: number): Promise<number> {
  const rows = await db
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('code_hash')
    .execute()
  return rows.length
}
