import { digest } from '../../crypto/digest.ts'
import type { Trx } from '../../storage/database.ts'
import { type PendingRequest, pendingUntil } from './pending-request.ts'

/** Marks a pending request as answered. False when it was answered before. */
export async function markAnswered(trx: Trx, request: PendingRequest): Promise<boolean> {
  const rows = await trx
    .insertInto('oauth_answered_requests')
    .values({ id_hash: digest(request.id), expires_at: pendingUntil(request) })
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .returning('id_hash')
    .execute()
  return rows.length > 0
}
