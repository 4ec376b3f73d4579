import type { Trx } from '../../storage/database.ts'

export interface Review {
  id: string
  reason: string
  /** The id of the last account that was reviewed. */
  reviewedUpTo: string
  revoked: number
}

export async function addReview(
  trx: Trx,
  { id, reason, at }: { id: string; reason: string; at: number },
): Promise<void> {
  await trx.insertInto('ssh_certificate_reviews').values({ id, reason, reviewed_up_to: '', created_at: at }).execute()
}

/** The oldest review that is not done. Other replicas wait until the transaction ends. */
export async function lockNextReview(trx: Trx): Promise<Review | undefined> {
  const row = await trx
    .selectFrom('ssh_certificate_reviews')
    .select(['id', 'reason', 'reviewed_up_to as reviewedUpTo', 'revoked'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row
}

/** The accounts that come after the last one that was reviewed. */
export async function listNextUserIds(trx: Trx, { reviewedUpTo }: Review, limit: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '>', reviewedUpTo)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function markReviewed(trx: Trx, { id, reviewedUpTo, revoked }: Omit<Review, 'reason'>): Promise<void> {
  await trx
    .updateTable('ssh_certificate_reviews')
    .set({ reviewed_up_to: reviewedUpTo, revoked })
    .where('id', '=', id)
    .execute()
}

export async function deleteReview(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('ssh_certificate_reviews').where('id', '=', id).execute()
}
