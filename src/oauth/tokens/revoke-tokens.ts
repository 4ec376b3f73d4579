import type { Trx } from '../../storage/database.ts'
import { clientExists } from '../clients/client-store.ts'
import { latestStart } from './lifetimes.ts'

/**
 * Revokes every code and token of these users by marking the authorizations that they belong to. Consent stays, so that an
 * account that is enabled again need not consent again; its old tokens stay revoked. Says how many applications had
 * access, for each user for whom there were any: an application with several authorizations counts once.
 */
export async function revokeTokensOfUsers(trx: Trx, userIds: string[], at: number): Promise<Map<string, number>> {
  const rows = await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', 'in', userIds)
    .where('revoked_at', 'is', null)
    // Those that have expired as well: by the clock of another replica they may not have.
    .returning(['user_id', 'client_id', 'created_at', 'expires_at'])
    .returning((eb) =>
      eb
        .exists(
          eb
            .selectFrom('oauth_clients')
            .select('oauth_clients.client_id')
            .whereRef('oauth_clients.client_id', '=', 'oauth_authorization_codes.client_id')
            .where(clientExists),
        )
        .as('has_client'),
    )
    .execute()
  const live = rows.filter((row) => row.expires_at > at && row.created_at <= latestStart(at) && Boolean(row.has_client))
  const byUser = Map.groupBy(live, ({ user_id }) => user_id)
  return new Map([...byUser].map(([userId, of]) => [userId, new Set(of.map(({ client_id }) => client_id)).size]))
}
