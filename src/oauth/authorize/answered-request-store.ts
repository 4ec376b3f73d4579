import { digest } from '../../platform/crypto/digest.ts'
import type { Trx } from '../../storage/database.ts'

/** Marks a request as answered, until it expires. False when it was answered before. */
export async function markAnswered(trx: Trx, { id, expiresAt }: { id: string; expiresAt: number }): Promise<boolean> {
  const rows = await trx
    .insertInto('oauth_answered_requests')
    .values({ id_hash: digest(id), expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .returning('id_hash')
    .execute()
  return rows.length > 0
}
