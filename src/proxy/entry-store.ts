import { sql } from 'kysely'
import { accountMayAct } from '../identity/users/account-standing.ts'
import { mustConfirmFirst } from '../identity/users/allowed-email.ts'
import { packedRoles } from '../identity/users/user-row.ts'
import { mayEnterSite, mayUseClient } from '../oauth/access/allowed-role-store.ts'
import { clientExists } from '../oauth/clients/client-store.ts'
import { packedRuleRoles } from '../oauth/sites/site-row.ts'
import type { Reader } from '../storage/database.ts'

const entries = (db: Reader, userId: string) =>
  db
    .selectFrom('oauth_clients')
    .leftJoin('users', (join) => join.on('users.id', '=', userId).on((eb) => accountMayAct(eb as never)))
    .where(clientExists)
    .where('oauth_clients.client_type', '=', 'proxied')
    .select([
      'oauth_clients.client_id as clientId',
      'oauth_clients.name as siteName',
      'oauth_clients.disabled_at as siteDisabledAt',
      'oauth_clients.rules',
      'oauth_clients.identity_headers as headerNames',
      'oauth_clients.basic',
      packedRuleRoles,
      'users.id as userId',
      'users.preferred_username as username',
      'users.email',
      'users.email_verified as emailVerified',
      'users.display_name as displayName',
      'users.given_name as givenName',
      'users.family_name as familyName',
      'users.locale',
      packedRoles.as('roles'),
      mayUseClient(sql.ref('users.id')).as('isAdmitted'),
      mayEnterSite(sql.ref('users.id')).as('mayEnter'),
      mustConfirmFirst.as('mustConfirm'),
    ])

/** The site of a host, and a person before it. Undefined for a host that no site has; without the person when they may not act. */
export const findEntry = (db: Reader, host: string, userId: string) =>
  entries(db, userId)
    .innerJoin('proxy_hosts', 'proxy_hosts.client_id', 'oauth_clients.client_id')
    .where('proxy_hosts.host', '=', host)
    .executeTakeFirst()

/** The same by the id of the site, with its hosts. */
export const findEntryOfSite = (db: Reader, clientId: string, userId: string) =>
  entries(db, userId).where('oauth_clients.client_id', '=', clientId).select('oauth_clients.hosts').executeTakeFirst()
