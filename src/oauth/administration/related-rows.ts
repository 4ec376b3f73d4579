import { atField } from '../../errors.ts'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import { rememberHosts } from '../../identity/roles/former-host-store.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { rolesOfMappings } from '../claims/claim-mapping.ts'
import { listExistingRoles } from '../clients/allowed-role-store.ts'
import { clientErrors } from '../clients/client-errors.ts'
import type { Settings } from '../clients/client-settings.ts'
import type { Client } from '../clients/client.ts'
import type { Admission } from '../sites/compare-sites.ts'
import { rolesOfRules } from '../sites/site-rule.ts'
import { checkSite, refuseTakenHost } from '../sites/site-settings.ts'
import { replaceHosts, replaceRuleRoles } from '../sites/site-store.ts'

/** Refuses settings that name a role which does not exist. */
export async function checkRoles(trx: Trx, { allowedRoles, claims, rules }: Partial<Settings>): Promise<void> {
  const named = [
    ...(allowedRoles ?? []).map((roleId, at) => ({ path: `allowedRoles/${at}`, roleId })),
    ...rolesOfMappings(claims ?? []),
    ...rolesOfRules(rules ?? []),
  ]
  const existing = await listExistingRoles(trx, [...new Set(named.map(({ roleId }) => roleId))])
  for (const { path, roleId } of named)
    if (!existing.has(roleId)) throw atField(path, clientErrors.no_such_allowed_role())
}

/** Refuses an address to which no logout tokens can be sent. */
export function checkLogoutUri(
  { outgoing }: Pick<Services, 'outgoing'>,
  { backchannelLogoutUri: uri }: Partial<Settings>,
): void {
  if (typeof uri === 'string') outgoing.checkUrl(uri, { path: 'backchannelLogoutUri' })
}

/** Checks what a request says about a site, and brings its hosts into the form that is stored. */
export function withStoredHosts<Request extends Partial<Settings>>(
  config: Pick<Config, 'baseUrl' | 'dashboardOrigin'>,
  request: Request,
): Request {
  const hosts = checkSite(config, request)
  return hosts ? { ...request, hosts } : request
}

/** Writes the hosts and the roles of rules that are given. Of two sites that take a host at the same time, one is refused. */
export async function replaceSite(
  trx: CheckedTrx,
  clientId: string,
  { hosts, rules }: Partial<Pick<Settings, 'hosts' | 'rules'>>,
): Promise<void> {
  try {
    if (hosts) await replaceHosts(trx, clientId, hosts)
  } catch (error) {
    if (isDuplicate(error, 'proxy_hosts.host')) refuseTakenHost()
    throw error
  }
  if (rules) await replaceRuleRoles(trx, clientId, rules)
}

/** Remembers what the hosts of a site admitted that it does not have any more: whoever takes them is compared with that. */
export async function rememberLostHosts(
  trx: CheckedTrx,
  { hosts = [], allowedRoles, rules = [], headers = {}, disabled, requiredAcr, maxAuthAge }: Client,
  { kept, now }: { kept: readonly string[]; now: number },
): Promise<void> {
  const lost = hosts.filter((host) => !kept.includes(host))
  const admission: Admission = { allowedRoles, rules, headers, disabled, requiredAcr, maxAuthAge }
  await rememberHosts(trx, { kind: 'site', hosts: lost, admission, now })
}
