import ipaddr from 'ipaddr.js'
import { type AppError, atField } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { isInRanges, matchesName } from '../../platform/config/listed-hosts.ts'
import { clientErrors } from './client-errors.ts'

/** Printable ASCII without the characters that browsers interpret differently. */
const PLAIN = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7e]+$/
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])
/** RFC 8252 section 7.1: the scheme of a native app is a reversed domain name of its maker, so it has a dot. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

type UrlRules = Pick<Config, 'httpRedirectHosts' | 'redirectSchemes'>

/** Refuses a redirect URL that must not be registered, and says why. */
export function checkRedirectUri(rules: UrlRules, uri: string, path: string): void {
  refuseProblem(path, findProblem(rules, uri))
}

/** Refuses an address that people must not be sent to from their list of applications. It may name a place in a page. */
export function checkLaunchUrl(rules: UrlRules, url: string): void {
  const page = PLAIN.test(url) ? url.replace(/#.*$/, '') : url
  const problem =
    findProblem({ ...rules, redirectSchemes: [] }, page) ?? (isWeb(page) ? undefined : clientErrors.address_not_web())
  refuseProblem('launchUrl', problem)
}

function refuseProblem(path: string, problem: AppError | undefined): void {
  if (problem) throw atField(path, problem)
}

function findProblem({ httpRedirectHosts, redirectSchemes }: UrlRules, uri: string): AppError | undefined {
  if (!PLAIN.test(uri)) return clientErrors.address_not_ascii()
  if (uri.includes('#')) return clientErrors.address_has_fragment()
  if (!URL.canParse(uri)) return clientErrors.address_not_absolute()
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return clientErrors.address_has_user_information()
  if (PRIVATE_SCHEME.test(protocol) || redirectSchemes.includes(protocol.slice(0, -1))) return undefined
  // URL parsers accept `https:///host` and `https:host`.
  if (!isWeb(uri)) return clientErrors.address_scheme_not_allowed()
  if (hostname.includes('*')) return clientErrors.address_has_wildcard()
  if (protocol === 'https:' || LOOPBACK_HOSTS.has(hostname) || isListed(httpRedirectHosts, hostname)) return undefined
  return clientErrors.address_uses_http()
}

export const isWeb = (uri: string): boolean => /^https?:\/\/[^/]/.test(uri)

const isListed = (patterns: readonly string[], hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const address = ipaddr.isValid(host) ? ipaddr.process(host).toString() : undefined
  return patterns.some((each) => matchesName(each, host)) || (address !== undefined && isInRanges(patterns, address))
}

/** Whether a client's answers may go there: to its own redirect URLs, and to the page of the dashboard that tries a sign-in. */
export const isRedirectUri = (
  config: Pick<Config, 'dashboardOrigin'>,
  { client_id: clientId, redirect_uris: registered }: { client_id: string; redirect_uris: readonly string[] },
  requested: string,
): boolean => isRegisteredUri(registered, requested) || requested === trialUri(config, clientId)

/**
 * Where the trial of a sign-in ends: a page of the dashboard, for each client its own. Only people who may see the client's
 * settings get a code for it (issue-code.ts).
 */
export const trialUri = ({ dashboardOrigin }: Pick<Config, 'dashboardOrigin'>, clientId: string): string =>
  `${dashboardOrigin}/admin/applications/${encodeURIComponent(clientId)}/trial`

/**
 * Compares exact strings: browsers may normalize URLs differently (RFC 9700 section 4.1.3). Only on the loopback
 * interface may the port differ, because a native app gets a random one (RFC 8252 section 7.3).
 */
const isRegisteredUri = (registered: readonly string[], requested: string): boolean =>
  registered.includes(requested) || registered.some((each) => sameLoopback(each, requested))

const LOOPBACK_ADDRESS = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/

function sameLoopback(registered: string, requested: string): boolean {
  const known = LOOPBACK_ADDRESS.exec(registered)
  const given = LOOPBACK_ADDRESS.exec(requested)
  return known !== null && given !== null && known[1] === given[1] && known[2] === given[2] && URL.canParse(requested)
}

/** Adds parameters to a URL that may have a query already. */
export function withQuery(uri: string, added: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return query.size === 0 ? uri : `${uri}${separator}${query.toString()}`
}
