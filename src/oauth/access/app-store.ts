import { sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { clientMayAct } from '../clients/client-store.ts'
import { logoUrl } from '../clients/client.ts'
import { SIGN_IN_GRANTS } from '../clients/grant-types.ts'

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

/** An application that a person may use, and why. */
export interface UserApp {
  client_id: string
  name: string
  logoUrl: string | null
  everybody: boolean
  /** The roles of the person that the application admits. */
  roles: { id: string; name: string }[]
  authorized: boolean
}

/** The applications that sign people in and that this user may use, by name. */
export async function listUserApps(db: Reader, userId: string): Promise<UserApp[]> {
  const clients = await db
    .selectFrom('oauth_clients')
    .leftJoin('oauth_grants', (join) =>
      join.onRef('oauth_grants.client_id', '=', 'oauth_clients.client_id').on('oauth_grants.user_id', '=', userId),
    )
    .where(clientMayAct)
    // A machine that acts for itself signs nobody in.
    .where((eb) => eb.or(SIGN_IN_GRANTS.map((type) => eb('oauth_clients.grant_types', 'like', `%"${type}"%`))))
    .where(mayUseClient(userId))
    .select([
      'oauth_clients.client_id',
      'oauth_clients.name',
      'oauth_clients.logo_version',
      'oauth_clients.restricted',
      'oauth_grants.user_id as granted',
    ])
    .orderBy(sql`lower(oauth_clients.name)`)
    .orderBy('oauth_clients.client_id')
    .limit(MAX_APPS)
    .execute()
  const admitting = await db
    .selectFrom('oauth_client_roles')
    .innerJoin('user_roles', 'user_roles.role_id', 'oauth_client_roles.role_id')
    .innerJoin('roles', 'roles.id', 'oauth_client_roles.role_id')
    .where('user_roles.user_id', '=', userId)
    .select(['oauth_client_roles.client_id', 'roles.id', 'roles.name'])
    .orderBy('roles.name')
    .execute()
  return clients.map((row) => ({
    client_id: row.client_id,
    name: row.name,
    logoUrl: logoUrl(row.client_id, row.logo_version),
    everybody: row.restricted === 0,
    roles: row.restricted === 0 ? [] : admitting.filter((role) => role.client_id === row.client_id).map(withoutClient),
    authorized: row.granted !== null,
  }))
}

const withoutClient = ({ id, name }: { id: string; name: string }) => ({ id, name })
