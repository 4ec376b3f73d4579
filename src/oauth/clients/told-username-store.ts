import type { Reader } from '../../storage/database.ts'
import { clientExists } from './client-store.ts'

/**
 * The names of the applications that were told somebody's username. An application with a grant is told it at introspection,
 * whatever was granted; a site behind a proxy with each request of a visitor or of a program that uses an app password. Sites
 * of which no session is open any more are not known.
 */
export async function listToldUsername(db: Reader, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .select('oauth_clients.name')
    .where(clientExists)
    .where('oauth_clients.client_id', 'in', (eb) =>
      eb
        .selectFrom('oauth_grants')
        .select('oauth_grants.client_id')
        .where('oauth_grants.user_id', '=', userId)
        .union(
          eb.selectFrom('app_passwords').select('app_passwords.client_id').where('app_passwords.user_id', '=', userId),
        )
        .union(
          eb
            .selectFrom('sessions')
            .innerJoin('proxy_cookies', 'proxy_cookies.session_id', 'sessions.id')
            .innerJoin('proxy_hosts', 'proxy_hosts.host', 'proxy_cookies.host')
            .select('proxy_hosts.client_id')
            .where('sessions.user_id', '=', userId),
        ),
    )
    .distinct()
    .orderBy('oauth_clients.name')
    .limit(MAX_TOLD)
    .execute()
  return rows.map(({ name }) => name)
}

const MAX_TOLD = 200
