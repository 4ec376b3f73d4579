import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { type SiteRule, rolesOfRules } from './site-rule.ts'

/**
 * Replaces the hosts of a site. What visitors have for a host that stays is untouched, for one that is taken out it ends. Fails
 * as a duplicate of `proxy_hosts.host` when one of them is that of another site.
 */
export async function replaceHosts(trx: CheckedTrx, clientId: string, hosts: readonly string[]): Promise<void> {
  const before = await trx.selectFrom('proxy_hosts').select('host').where('client_id', '=', clientId).execute()
  const gone = before.map(({ host }) => host).filter((host) => !hosts.includes(host))
  if (gone.length > 0)
    await trx.deleteFrom('proxy_hosts').where('client_id', '=', clientId).where('host', 'in', gone).execute()
  const added = hosts.filter((host) => !before.some((each) => each.host === host))
  if (added.length > 0)
    await trx
      .insertInto('proxy_hosts')
      .values(added.map((host) => ({ host, client_id: clientId })))
      .execute()
}

/** Replaces the roles of a site's rules. Fails as a missing reference when one of them does not exist. */
export async function replaceRuleRoles(trx: CheckedTrx, clientId: string, rules: readonly SiteRule[]): Promise<void> {
  await trx.deleteFrom('proxy_rule_roles').where('client_id', '=', clientId).execute()
  const roleIds = [...new Set(rolesOfRules(rules).map(({ roleId }) => roleId))]
  if (roleIds.length > 0)
    await trx
      .insertInto('proxy_rule_roles')
      .values(roleIds.map((roleId) => ({ client_id: clientId, role_id: roleId })))
      .execute()
}

/** Frees the hosts of a site that is deleted, and ends what visitors have for them. */
export async function deleteHosts(trx: CheckedTrx, clientId: string): Promise<void> {
  await trx.deleteFrom('proxy_hosts').where('client_id', '=', clientId).execute()
}

/** Ends every visit to a site, and the sign-ins that are under way. */
export async function deleteVisits(trx: Trx, clientId: string): Promise<void> {
  for (const table of ['proxy_codes', 'proxy_cookies'] as const)
    await trx
      .deleteFrom(table)
      .where('host', 'in', (eb) => eb.selectFrom('proxy_hosts').select('host').where('client_id', '=', clientId))
      .execute()
}

/** The site that has a host; undefined when none has it. */
export const findHost = (db: Reader, host: string): Promise<{ clientId: string } | undefined> =>
  db
    .selectFrom('proxy_hosts')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'proxy_hosts.client_id')
    .where('proxy_hosts.host', '=', host)
    .where('oauth_clients.deleted_at', 'is', null)
    .select('oauth_clients.client_id as clientId')
    .executeTakeFirst()
