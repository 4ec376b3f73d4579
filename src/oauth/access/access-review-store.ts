import { sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'

/** Replaces the time of a review that is planned already. */
export async function addAccessReviews(trx: Trx, clientIds: string[], dueAt: number): Promise<void> {
  if (clientIds.length === 0) return
  await trx
    .insertInto('oauth_access_reviews')
    .values(clientIds.map((clientId) => ({ client_id: clientId, due_at: dueAt })))
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet({ due_at: dueAt }))
    .execute()
}

/** The clients that admit the holders of a role. */
export async function listClientsWithRole(trx: Trx, roleId: string): Promise<string[]> {
  const rows = await trx.selectFrom('oauth_client_roles').select('client_id').where('role_id', '=', roleId).execute()
  return rows.map((row) => row.client_id)
}

export interface AccessReview {
  clientId: string
  dueAt: number
}

/** Reviews that are due, and those that were planned further ahead than any is: the clock was wrong then. */
export const listDueReviews = (db: Reader, now: number, latest: number, limit: number): Promise<AccessReview[]> =>
  db
    .selectFrom('oauth_access_reviews')
    .select(['client_id as clientId', 'due_at as dueAt'])
    .where((eb) => eb.or([eb('due_at', '<=', now), eb('due_at', '>', latest)]))
    .orderBy('due_at')
    .limit(limit)
    .execute()

/** Does nothing when another review of the client was planned meanwhile. */
export async function deleteReview(trx: Trx, { clientId, dueAt }: AccessReview): Promise<void> {
  await trx.deleteFrom('oauth_access_reviews').where('client_id', '=', clientId).where('due_at', '=', dueAt).execute()
}

/** The next users, in order of their ids, who have granted something to a client. */
export async function listGrantingUsers(
  db: Reader,
  { clientId, after, limit }: { clientId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .select('user_id')
    .where('client_id', '=', clientId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.user_id)
}

/** Revokes the codes and tokens of these users at clients that they may not use; with a client, at that one. */
export async function markLostCodesRevoked(
  trx: Trx,
  { userIds, clientId, at }: { userIds: string[]; clientId?: string; at: number },
): Promise<number> {
  const rows = await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', 'in', userIds)
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .where('revoked_at', 'is', null)
    .where(
      sql<boolean>`exists (select 1 from oauth_clients
        where oauth_clients.client_id = oauth_authorization_codes.client_id
          and not ${mayUseClient(sql.ref('oauth_authorization_codes.user_id'))})`,
    )
    .returning('code_hash')
    .execute()
  return rows.length
}
