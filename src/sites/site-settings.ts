import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { refuse, refuseField } from '../errors.ts'
import { checkHeaderNames, HeaderNames } from './identity-header.ts'
import { nameOf, parseHost } from './site-host.ts'
import { checkRules, SiteRule } from './site-rule.ts'

/** What can be set on a site, besides what every client has. */
export const SiteSettings = {
  hosts: Type.Array(Type.String({ minLength: 1, maxLength: 259 }), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'For a site: its DNS names in lower case, each with a port if that is not 443.',
  }),
  rules: Type.Array(SiteRule, {
    maxItems: 100,
    description: 'For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does.',
  }),
  headers: HeaderNames,
  basic: Type.Boolean({ description: 'For a site: whether programs may use app passwords.' }),
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
    (text, at) =>
      parseHost(text) ??
      refuseField(
        `hosts/${at}`,
        'A host is a DNS name in lower case, such as wiki.example.com, with a port if it is not 443. International names are written as A-labels (xn--…).',
      ),
  )
  for (const [at, host] of hosts.entries())
    if (hosts.indexOf(host) !== at) refuseField(`hosts/${at}`, 'This host is there twice.')
  const own = new Set([baseUrl, dashboardOrigin].map((url) => new URL(url).hostname))
  for (const [at, host] of hosts.entries()) {
    if (!own.has(nameOf(host))) continue
    refuseField(
      `hosts/${at}`,
      'This is the name of this service itself. Browsers would send its session to the site, whatever the port.',
      'host_taken',
    )
  }
  return hosts
}

export const refuseTakenHost = (): never => refuse('host_taken', 'One of these hosts is that of another site.')
