import type { Reader } from '../../storage/database.ts'
import { clientMayAct } from '../clients/client-store.ts'
import { logoUrl } from '../clients/client.ts'
import { mayUseClient } from './allowed-role-store.ts'

/** An application that a person may open. */
export interface UsableApp {
  client_id: string
  name: string
  logoUrl: string | null
  launchUrl: string
  authorized: boolean
}

const MAX_APPS = 1000

/** The applications with a launch URL that a user may use, by name. */
export async function listUsableApps(db: Reader, userId: string): Promise<UsableApp[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .leftJoin('oauth_grants', (join) =>
      join.onRef('oauth_grants.client_id', '=', 'oauth_clients.client_id').on('oauth_grants.user_id', '=', userId),
    )
    .where('oauth_clients.launch_url', 'is not', null)
    .where(clientMayAct)
    .where(mayUseClient(userId))
    .select([
      'oauth_clients.client_id',
      'oauth_clients.name',
      'oauth_clients.logo_version',
      'oauth_clients.launch_url',
      'oauth_grants.user_id as granted',
    ])
    .orderBy('oauth_clients.name')
    .orderBy('oauth_clients.client_id')
    .limit(MAX_APPS)
    .execute()
  return rows.map((row) => ({
    client_id: row.client_id,
    name: row.name,
    logoUrl: logoUrl(row.client_id, row.logo_version),
    launchUrl: row.launch_url ?? '',
    authorized: row.granted !== null,
  }))
}
