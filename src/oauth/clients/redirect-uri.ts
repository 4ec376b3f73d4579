import { refuseField } from '../../errors.ts'

/** Printable ASCII without what browsers read in more than one way. */
const PLAIN = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7e]+$/
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])
/** RFC 8252 section 7.1: a native app's own scheme is a domain of its maker, backwards, so it has a dot. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

/** Refuses a URL that no application should be sent to, saying why. */
export function checkRedirectUri(uri: string, path: string): void {
  const wrong = whatIsWrong(uri)
  if (wrong !== undefined) refuseField(path, `${path} ${wrong}.`)
}

function whatIsWrong(uri: string): string | undefined {
  if (!PLAIN.test(uri)) return 'must be a URL of plain ASCII characters'
  if (uri.includes('#')) return 'must not have a fragment'
  if (!URL.canParse(uri)) return 'must be an absolute URL'
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return 'must not have user information'
  if (PRIVATE_SCHEME.test(protocol)) return undefined
  // URL parsers read `https:///host` and `https:host` as if nothing were missing.
  if (!/^https?:\/\/[^/]/.test(uri)) return 'must use https, http on loopback, or a private-use scheme with a dot'
  if (hostname.includes('*')) return 'must not have a wildcard'
  if (protocol === 'https:') return undefined
  return LOOPBACK_HOSTS.has(hostname) ? undefined : 'may use http on loopback only'
}

/**
 * Exact strings: no normalization that a browser might do otherwise (RFC 9700 section 4.1.3). A native app on a
 * loopback address gets a port of the moment, so there, and only there, the port may differ (RFC 8252 section 7.3).
 */
export const isRegisteredUri = (registered: readonly string[], asked: string): boolean =>
  registered.includes(asked) || registered.some((each) => sameLoopback(each, asked))

const LOOPBACK_ADDRESS = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/

function sameLoopback(registered: string, asked: string): boolean {
  const known = LOOPBACK_ADDRESS.exec(registered)
  const given = LOOPBACK_ADDRESS.exec(asked)
  return known !== null && given !== null && known[1] === given[1] && known[2] === given[2] && URL.canParse(asked)
}

/** Adds to the query that the URL may have already. */
export function withQuery(uri: string, added: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return query.size === 0 ? uri : `${uri}${separator}${query.toString()}`
}
