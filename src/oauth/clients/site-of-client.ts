import type { Config } from '../../config/config.ts'
import { checkSite, refuseTakenHost } from '../../sites/site-settings.ts'
import { replaceHosts, replaceRuleRoles } from '../../sites/site-store.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { Settings } from './client-settings.ts'

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
  trx: Trx,
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
