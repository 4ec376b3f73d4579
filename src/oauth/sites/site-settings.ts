import { sql } from 'kysely'
import { Type } from 'typebox'
import { atField, refuse } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import { HeaderNames, checkHeaderNames } from './identity-header.ts'
import { nameOf, readHost } from './site-host.ts'
import { SiteRule, checkRules } from './site-rule.ts'
import { siteSettingErrors } from './site-setting-errors.ts'

/** A number of seconds; null for the default. */
export const Seconds = (minimum: number, maximum: number, description: string) =>
  Nullable(Type.Integer({ minimum, maximum, description: `${description} Seconds.` }))

/** What can be set on a site, besides what every client has. */
export const SiteSettings = {
  hosts: Type.Array(Type.String({ minLength: 1, maxLength: 259 }), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      'For a site: its DNS names, each with a port if that is not 443. They are stored in lower case, international names as A-labels.',
  }),
  rules: Type.Array(SiteRule, {
    maxItems: 100,
    description: 'For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does.',
  }),
  headers: HeaderNames,
  basic: Type.Boolean({ description: 'For a site: whether programs may use app passwords.' }),
  sessionMaxAge: Seconds(
    60,
    2_592_000,
    'For a site: how long after a sign-in there the browser has to come by here again, where what the site demands is checked anew.',
  ),
}
export type SiteSettings = { [name in keyof typeof SiteSettings]: Type.Static<(typeof SiteSettings)[name]> }

export const SITE_FIELDS = Object.keys(SiteSettings) as (keyof SiteSettings)[]

/** Checks what a request sets, and returns the hosts in the form that is stored. */
export function checkSite(
  config: OwnAddresses,
  { hosts, rules, headers }: Partial<SiteSettings>,
): string[] | undefined {
  if (rules) checkRules(rules)
  if (headers) checkHeaderNames(headers)
  return hosts && checkHosts(config, hosts)
}

type OwnAddresses = Pick<Config, 'baseUrl' | 'dashboardOrigin'>

function checkHosts({ baseUrl, dashboardOrigin }: OwnAddresses, given: readonly string[]): string[] {
  const hosts = given.map(
    (text, at) => readHost(text) ?? refuse(atField(`hosts/${at}`, siteSettingErrors.site_host_malformed())),
  )
  for (const [at, host] of hosts.entries())
    if (hosts.indexOf(host) !== at) throw atField(`hosts/${at}`, siteSettingErrors.site_host_twice())
  // On whatever port: browsers send the cookies of one port to all others of the same name (RFC 6265 section 8.5).
  const own = new Set([baseUrl, dashboardOrigin].map((url) => new URL(url).hostname))
  if (hosts.some((host) => own.has(nameOf(host)))) refuseTakenHost()
  return hosts
}

export const refuseTakenHost = (): never => refuse(siteSettingErrors.site_host_taken())

/** The roles of a site's rules that exist, separated by spaces. For a query over `oauth_clients`. */
export const packedRuleRoles = sql<string | null>`case when oauth_clients.client_type = 'proxied' then (
  select string_agg(proxy_rule_roles.role_id, ' ')
  from proxy_rule_roles where proxy_rule_roles.client_id = oauth_clients.client_id) end`.as('ruleRoles')

interface SiteColumns {
  hosts: string | null
  rules: string | null
  identity_headers: string | null
  basic: number
  session_max_age: number | null
  ruleRoles: string | null
}

export const readSite = (row: SiteColumns): SiteSettings => ({
  hosts: JSON.parse(row.hosts ?? '[]') as string[],
  rules: readRules(row.rules, row.ruleRoles),
  headers: JSON.parse(row.identity_headers ?? '{}') as HeaderNames,
  basic: row.basic === 1,
  sessionMaxAge: row.session_max_age,
})

export const siteColumns = ({ hosts, rules, headers, basic, sessionMaxAge }: SiteSettings) => ({
  hosts: JSON.stringify(hosts),
  rules: JSON.stringify(rules),
  identity_headers: JSON.stringify(headers),
  basic: basic ? 1 : 0,
  session_max_age: sessionMaxAge,
})

/** The rules, without the roles that were deleted since they were written. */
export function readRules(rules: string | null, ruleRoles: string | null): SiteRule[] {
  const existing = new Set(ruleRoles?.split(' '))
  return (JSON.parse(rules ?? '[]') as SiteRule[]).map((rule) =>
    rule.roles ? Object.assign(rule, { roles: rule.roles.filter((id) => existing.has(id)) }) : rule,
  )
}
