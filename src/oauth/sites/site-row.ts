import { sql } from 'kysely'
import type { HeaderNames } from './identity-header.ts'
import type { SiteRule } from './site-rule.ts'
import type { SiteSettings } from './site-settings.ts'

/** The roles of a site's rules that exist, separated by spaces. For a query over `oauth_clients`. */
export const packedRuleRoles = sql<string | null>`case when oauth_clients.client_type = 'proxied' then (
  select string_agg(proxy_rule_roles.role_id, ' ')
  from proxy_rule_roles where proxy_rule_roles.client_id = oauth_clients.client_id) end`.as('ruleRoles')

interface SiteColumns {
  hosts: string | null
  rules: string | null
  identity_headers: string | null
  basic: number
  ruleRoles: string | null
}

export const readSite = (row: SiteColumns): SiteSettings => ({
  hosts: JSON.parse(row.hosts ?? '[]') as string[],
  rules: readRules(row.rules, row.ruleRoles),
  headers: JSON.parse(row.identity_headers ?? '{}') as HeaderNames,
  basic: row.basic === 1,
})

export const siteColumns = ({ hosts, rules, headers, basic }: SiteSettings) => ({
  hosts: JSON.stringify(hosts),
  rules: JSON.stringify(rules),
  identity_headers: JSON.stringify(headers),
  basic: basic ? 1 : 0,
})

/** The rules, without the roles that were deleted since they were written. */
export function readRules(rules: string | null, ruleRoles: string | null): SiteRule[] {
  const existing = new Set(ruleRoles?.split(' '))
  return (JSON.parse(rules ?? '[]') as SiteRule[]).map((rule) =>
    rule.roles ? Object.assign(rule, { roles: rule.roles.filter((id) => existing.has(id)) }) : rule,
  )
}
