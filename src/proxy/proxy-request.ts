import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '../errors.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf, parseHost } from '../oauth/sites/site-host.ts'
import { digest } from '../platform/crypto/digest.ts'
import type { Locate, RequestSource } from '../platform/http/request-source.ts'
import { sourceOf } from '../platform/http/request-source.ts'
import { proxyErrors } from './proxy-errors.ts'
import { readSiteCookies, type SiteCookies } from './site-cookies.ts'

/** The address of a site that a visitor asked for. */
export interface SiteAddress {
  method: string
  /** In the form that hosts of sites are stored in. */
  host: string
  /** As it was sent. */
  path: string
  /** With its question mark, or empty. */
  query: string
}

/** One request of a visitor to a site, as a proxy tells it: all that its answer depends on, read once. */
export interface ProxyRequest extends SiteAddress {
  endpoint: ProxyEndpoint
  /** Whether the proxy hands the whole answer on, so that this service can answer the visitor itself. */
  handsOn: boolean
  cookies: SiteCookies
  /** Undefined without the header, or with one of another scheme, which is the application's. */
  basic: BasicCredentials | undefined
  /** A browser that opens a page, and can be sent elsewhere. */
  opensPage: boolean
  /** A form that a page of the site itself sent, as far as the browser tells. */
  sendsOwnForm: boolean
  /** Browsers say how they make a request, and programs do not. */
  isFromBrowser: boolean
  /** A page of another site made it, such as one that shows a picture. */
  isFromOtherSite: boolean
  referer: string | undefined
  acceptLanguage: string | undefined
  /** The address of the visitor. */
  address: string
  /** For the audit trail; looked up when it is needed. */
  source: () => RequestSource
}

/** What the proxy gets: an answer that is written as it is, or an error. */
export type ProxyAnswer =
  | {
      status: number
      headers: Record<string, string | string[]>
      body: string
      /** Why the visitor is not let through, for the metrics. */
      deniedFor?: ErrorCode
    }
  | { error: unknown; headers?: Record<string, string> }

/** How the proxies ask, and what they can make of an answer. */
const DIALECTS = {
  /**
   * Caddy, Traefik, HAProxy and Apache hand the whole answer on. nginx asks here for what it shows where the other endpoint denies
   * a visit.
   */
  '/api/authz/forward-auth': { read: readForwardAuth, handsOn: true },
  /** The module auth_request of nginx takes 200, 401 and 403, and nothing but their headers. */
  '/api/authz/auth-request': { read: readAuthRequest, handsOn: false },
  /** The paths of a site that nginx and Apache hand on to this service. */
  [RESERVED]: { read: readHandedOn, handsOn: true },
} as const
export type ProxyEndpoint = keyof typeof DIALECTS

export function readProxyRequest(locate: Locate, endpoint: ProxyEndpoint, request: FastifyRequest): ProxyRequest {
  const { read, handsOn } = DIALECTS[endpoint]
  const asked = read(request)
  const { headers } = request
  const showsPage = isShownAsPage(request)
  return {
    ...asked,
    endpoint,
    handsOn,
    cookies: readSiteCookies(headers.cookie),
    basic: readBasicCredentials(headers.authorization),
    opensPage: showsPage && isRead(asked),
    sendsOwnForm: showsPage && !isRead(asked) && isOfSameSite(asked.host, request),
    isFromBrowser: headers['sec-fetch-mode'] !== undefined,
    isFromOtherSite: headers['sec-fetch-site'] === 'cross-site',
    referer: headers.referer,
    acceptLanguage: headers['accept-language'],
    address: request.ip,
    source: () => sourceOf(locate, request),
  }
}

/** Longer addresses than these are refused. */
const MAX_ADDRESS = 8192

/** Four headers describe the request. */
function readForwardAuth(request: FastifyRequest): SiteAddress {
  const { method, proto, host, uri } = readHeaders(request, {
    method: 'x-forwarded-method',
    proto: 'x-forwarded-proto',
    host: 'x-forwarded-host',
    uri: 'x-forwarded-uri',
  })
  checkScheme(proto)
  return { method: checkMethod(method), host: checkHost(host), ...splitUri(uri) }
}

/** Two headers describe it. */
function readAuthRequest(request: FastifyRequest): SiteAddress {
  const { method, url } = readHeaders(request, { method: 'x-original-method', url: 'x-original-url' })
  const { scheme = '', host = '', uri = '' } = URL_PARTS.exec(url)?.groups ?? {}
  if (scheme === '') throw proxyErrors.forwarded_url_incomplete()
  checkScheme(scheme)
  return { method: checkMethod(method), host: checkHost(host), ...splitUri(uri) }
}

/** Nothing but a name and a port stands before the path: no user information, no second meaning for another parser. */
const URL_PARTS = /^(?<scheme>[a-z]+):\/\/(?<host>[A-Za-z0-9.:-]+)(?<uri>\/.*)$/

/** The address is our own, the site comes in two headers. */
function readHandedOn(request: FastifyRequest): SiteAddress {
  const { proto, host } = readHeaders(request, { proto: 'x-forwarded-proto', host: 'x-forwarded-host' })
  checkScheme(proto)
  return { method: request.method, host: checkHost(host), ...splitUri(request.raw.url ?? '/') }
}

/** Every header once, with one value. Two values would let the visitor choose which one counts. */
function readHeaders<Name extends string>(
  { raw: { rawHeaders } }: FastifyRequest,
  names: Record<Name, string>,
): Record<Name, string> {
  const values: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!name.startsWith('x-')) continue
    for (const wanted in names) {
      if (names[wanted] !== name) continue
      if (wanted in values) throw proxyErrors.forwarded_header_twice({ header: name })
      values[wanted] = rawHeaders[at + 1] ?? ''
    }
  }
  for (const wanted in names)
    if ((values[wanted] ?? '') === '') throw proxyErrors.forwarded_header_missing({ header: names[wanted] })
  return values
}

/** The strictest reading: names of methods are upper case, and a list is none. */
function checkMethod(method: string): string {
  if (!/^[A-Z][A-Z-]{0,31}$/.test(method)) throw proxyErrors.forwarded_method_invalid()
  return method
}

function checkHost(text: string): string {
  const host = parseHost(text.toLowerCase())
  if (host === undefined) throw proxyErrors.host_without_site()
  return host
}

/** A cookie that is Secure is never sent over http, so there is nothing to decide; a proxy that forwards http is set up wrongly. */
function checkScheme(scheme: string): void {
  if (scheme === 'http' || scheme === 'ws') throw proxyErrors.site_needs_https()
  if (scheme !== 'https' && scheme !== 'wss') throw proxyErrors.forwarded_scheme_unknown()
}

function splitUri(uri: string): { path: string; query: string } {
  if (uri.length > MAX_ADDRESS) throw proxyErrors.forwarded_address_too_long()
  const end = uri.indexOf('?')
  const path = end === -1 ? uri : uri.slice(0, end)
  const query = end === -1 ? '' : uri.slice(end)
  // A list of addresses has a space in it, which no address has.
  if (!path.startsWith('/') || !/^[\x21-\x7e]*$/.test(query)) throw proxyErrors.forwarded_address_invalid()
  return { path, query }
}

export const isRead = ({ method }: Pick<SiteAddress, 'method'>): boolean => method === 'GET' || method === 'HEAD'

/** Whether a person sees the answer as a page, also that to a form. Everything else gets a status, and no page or redirect. */
export function isShownAsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  if (String(headers['x-requested-with']).toLowerCase() === 'xmlhttprequest') return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? /\btext\/html\b/i.test(headers.accept ?? '') : mode === 'navigate'
}

function isOfSameSite(host: string, { headers: { origin, 'sec-fetch-site': site } }: FastifyRequest): boolean {
  // Older browsers send Origin alone. Beside Sec-Fetch-Site it says nothing more, and is `null` for a page without a referrer.
  return site === undefined ? origin === undefined || origin === originOf(host) : SAME_SITE.has(site)
}

const SAME_SITE: ReadonlySet<unknown> = new Set(['same-origin', 'none'])

/** What a program sends with HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  user: string
  /** The digest of the password, or empty for one that is no app password: an account's own password is never taken. */
  passwordHash: string
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i
const APP_PASSWORD = /^ap_[A-Za-z0-9_-]{43}$/

function readBasicCredentials(header = ''): BasicCredentials | undefined {
  if (!/^Basic\b/i.test(header)) return undefined
  const text = Buffer.from(BASIC.exec(header)?.[1] ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  const password = text.slice(colon + 1)
  const isAppPassword = colon > 0 && APP_PASSWORD.test(password)
  return { user: text.slice(0, Math.max(colon, 0)), passwordHash: isAppPassword ? digest(password) : '' }
}
