import { sql } from 'kysely'
import { accountExists } from '../../identity/users/account-standing.ts'
import type { Reader } from '../../storage/database.ts'
import { mayUseClient } from '../access/allowed-role-store.ts'
import { PERSON_COLUMNS } from '../claims/person-columns.ts'
import { CLAIM_COLUMNS } from '../claims/user-claims.ts'
import { clientExists } from '../clients/client-store.ts'

/** What claims of a client about a user are made of, and whether the user may use it. Undefined if one of them is missing. */
export const findPreview = (db: Reader, clientId: string, userId: string) =>
  db
    .selectFrom('oauth_clients')
    .innerJoin('users', (join) => join.on('users.id', '=', userId))
    .leftJoin('oauth_grants', (join) =>
      join
        .onRef('oauth_grants.client_id', '=', 'oauth_clients.client_id')
        .onRef('oauth_grants.user_id', '=', 'users.id'),
    )
    .where('oauth_clients.client_id', '=', clientId)
    .where(clientExists)
    .where(accountExists)
    .select(['users.disabled_at', 'oauth_grants.scopes as granted'])
    .select(mayUseClient(sql.ref('users.id')).as('mayUse'))
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS)
    .executeTakeFirst()
