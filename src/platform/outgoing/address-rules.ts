import { isIP } from 'node:net'
import type { AppError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import { isInRanges, matchesName } from '../config/listed-hosts.ts'
import { splitPort } from '../config/parse-values.ts'
import { outgoingErrors } from './outgoing-errors.ts'
import { isAdmittedByName, isPublic } from './public-addresses.ts'

/** What is stricter for one request than for others. */
export interface Restrictions {
  /** OUTGOING_ALLOW counts for these hosts alone; whatever is elsewhere must be public. */
  allowedHosts?: readonly string[] | undefined
  /** https, and OUTGOING_ALLOW counts only where it names the host in full, with its port. */
  publicOnly?: boolean | undefined
}

/** Where a request goes, and what may be connected to for it. */
export interface Destination {
  url: URL
  /** A name without a final dot, or an address without brackets. */
  host: string
  mayConnectTo(address: string): boolean
}

interface Entry {
  host: string
  port: number | undefined
}

/** The problem of an address as far as it shows without a lookup, or where it leads. */
export function judgeUrl(
  { outgoingAllow }: Pick<Config, 'outgoingAllow'>,
  text: string,
  restrictions: Restrictions,
): Destination | AppError {
  const url = parseUrl(text)
  if (!url) return outgoingErrors.outgoing_address_malformed()
  const host = hostOf(url)
  const port = portOf(url)
  const entries = counting(outgoingAllow.flatMap(toEntry), { host, port }, restrictions).filter(
    (each) => each.port === undefined || each.port === port,
  )
  const hosts = entries.map((each) => each.host)
  const isName = isIP(host) === 0
  const isNamed = isName && hosts.some((each) => matchesName(each, host))
  const mayConnectTo = (address: string) =>
    isPublic(address) || isInRanges(hosts, address) || (isNamed && isAdmittedByName(address))

  const known = isName ? loopbackOf(host) : [host]
  if (known.length > 0 && !known.some(mayConnectTo)) return outgoingErrors.address_not_allowed()
  // Whoever answers for a name could lead it into a range. Without TLS, nothing would show that something else answers there.
  const mayUseHttp = restrictions.publicOnly !== true && (isName ? isNamed : isInRanges(hosts, host))
  if (url.protocol === 'http:' && !mayUseHttp) return outgoingErrors.outgoing_address_needs_https()
  return { url, host, mayConnectTo }
}

/** Control characters and spaces would be dropped, backslashes read as slashes, and missing slashes added. */
function parseUrl(text: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex
  if (!/^https?:\/\/[^/?#]/i.test(text) || /[\x00-\x20\x7f-\xa0\\#]/.test(text)) return undefined
  const url = URL.parse(text)
  return url && url.username === '' && url.password === '' && !/^\.?$/.test(url.hostname) ? url : undefined
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

const toEntry = (text: string): Entry[] => {
  const entry = splitPort(text)
  return entry ? [entry] : []
}

function counting(
  entries: Entry[],
  { host, port }: { host: string; port: number },
  { allowedHosts, publicOnly = false }: Restrictions,
): Entry[] {
  const isThis = (each: string) => each === host || (isIP(host) !== 0 && isInRanges([each], host))
  const isNamedInFull = entries.some((each) => each.port === port && isThis(each.host))
  const isExcluded = (allowedHosts && !allowedHosts.some((each) => isSameHost(each, host))) ?? false
  return isExcluded || (publicOnly && !isNamedInFull) ? [] : entries
}

const isSameHost = (allowed: string, host: string): boolean =>
  allowed.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') === host

/** RFC 6761 section 6.3: these names are loopback wherever they are looked up. */
export const loopbackOf = (name: string): string[] => (/^(?:.*\.)?localhost$/.test(name) ? ['127.0.0.1', '::1'] : [])
