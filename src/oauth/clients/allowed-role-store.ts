import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { type Values, readStatement } from '../../storage/statement.ts'
import { clientExists } from './client-store.ts'

/**
 * Decides whether a user may use a client; nothing else does. For a query over `oauth_clients`; `userId` is a value or the
 * reference to a column. A client that is not restricted costs one comparison.
 */
export const mayUseClient = (userId: string | RawBuilder<unknown>) =>
  sql<SqlBool>`(oauth_clients.restricted = 0 or exists (
    select 1 from oauth_client_roles
    join user_roles on user_roles.role_id = oauth_client_roles.role_id
    where oauth_client_roles.client_id = oauth_clients.client_id and user_roles.user_id = ${userId}))`

/** Whether a user gets in anywhere at a site: by its roles as a whole, or by a role that one of its rules names. */
export const mayEnterSite = (userId: string | RawBuilder<unknown>) =>
  sql<SqlBool>`(${mayUseClient(userId)} or exists (
    select 1 from proxy_rule_roles
    join user_roles on user_roles.role_id = proxy_rule_roles.role_id
    where proxy_rule_roles.client_id = oauth_clients.client_id and user_roles.user_id = ${userId}))`

const usable = readStatement((db, value: Values<{ clientId: string; userId: string }>) =>
  db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where('client_id', '=', value('clientId'))
    .where(clientExists)
    .where(mayUseClient(value('userId'))),
)

export const userMayUse = async (db: Reader, clientId: string, userId: string): Promise<boolean> =>
  (await usable(db, { clientId, userId })).length > 0

/** Replaces the roles whose holders may use a client. Fails as a missing reference when one of them does not exist. */
export async function replaceAllowedRoles(
  trx: CheckedTrx,
  clientId: string,
  roleIds: readonly string[],
): Promise<void> {
  await trx.deleteFrom('oauth_client_roles').where('client_id', '=', clientId).execute()
  if (roleIds.length === 0) return
  await trx
    .insertInto('oauth_client_roles')
    .values(roleIds.map((roleId, position) => ({ client_id: clientId, role_id: roleId, position })))
    .execute()
}

/** Which of these roles there are. None of them is deleted until the transaction ends. */
export async function listExistingRoles(trx: Trx, roleIds: readonly string[]): Promise<Set<string>> {
  if (roleIds.length === 0) return new Set()
  const rows = await trx
    .selectFrom('roles')
    .select('id')
    .where('id', 'in', [...roleIds])
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}
