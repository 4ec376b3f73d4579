import type { FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'
import { normalizeEmail } from '../identity/users/email-address.ts'
import { originOf, parseHost } from '../oauth/sites/site-host.ts'
import { digest } from '../platform/crypto/digest.ts'
import type { Visitor } from './visit-store.ts'

/** What a visitor asked a protected site for, as the proxy tells it. */
export interface ForwardedRequest {
  method: string
  /** In the form that hosts of sites are stored in. */
  host: string
  /** As it was sent. */
  path: string
  /** With its question mark, or empty. */
  query: string
}

/** Longer addresses than these are refused. */
const MAX_ADDRESS = 8192

/** Caddy, Traefik, HAProxy and Apache describe the request in four headers; nginx does when it needs an answer to hand on. */
export function readForwardAuth(request: FastifyRequest): ForwardedRequest {
  const { method, proto, host, uri } = readHeaders(request, {
    method: 'x-forwarded-method',
    proto: 'x-forwarded-proto',
    host: 'x-forwarded-host',
    uri: 'x-forwarded-uri',
  })
  refuseHttp(proto)
  return { method: checkMethod(method), host: checkHost(host), ...splitUri(uri) }
}

/** The module auth_request of nginx describes it in two. */
export function readAuthRequest(request: FastifyRequest): ForwardedRequest {
  const { method, url } = readHeaders(request, { method: 'x-original-method', url: 'x-original-url' })
  const { scheme = '', host = '', uri = '' } = URL_PARTS.exec(url)?.groups ?? {}
  if (scheme === '') refuseAddress('The X-Original-URL is not a whole URL.')
  refuseHttp(scheme)
  return { method: checkMethod(method), host: checkHost(host), ...splitUri(uri) }
}

/** Nothing but a name and a port stands before the path: no user information, no second meaning for another parser. */
const URL_PARTS = /^(?<scheme>[a-z]+):\/\/(?<host>[A-Za-z0-9.:-]+)(?<uri>\/.*)$/

/** For the paths that nginx and Apache hand on to this service: the address is our own, the site comes in two headers. */
export function readHandedOn(request: FastifyRequest): ForwardedRequest {
  const { proto, host } = readHeaders(request, { proto: 'x-forwarded-proto', host: 'x-forwarded-host' })
  refuseHttp(proto)
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
      if (wanted in values) refuseAddress(`The header ${name} is there twice.`)
      values[wanted] = rawHeaders[at + 1] ?? ''
    }
  }
  for (const wanted in names)
    if ((values[wanted] ?? '') === '') refuseAddress(`The proxy did not send the header ${names[wanted]}.`)
  return values
}

/** The strictest reading: names of methods are upper case, and a list is none. */
const checkMethod = (method: string): string =>
  /^[A-Z][A-Z-]{0,31}$/.test(method) ? method : refuseAddress('The method is not one.')

const checkHost = (host: string): string =>
  parseHost(host.toLowerCase()) ?? refuse('unknown_host', 'No site is registered for this host.')

/** A cookie that is Secure is never sent over http, so there is nothing to decide; a proxy that forwards http is set up wrongly. */
function refuseHttp(scheme: string): void {
  if (scheme === 'http' || scheme === 'ws') refuse('https_required', 'Sites are protected over https only.')
  if (scheme !== 'https' && scheme !== 'wss') refuseAddress('The scheme is neither http nor https.')
}

function splitUri(uri: string): { path: string; query: string } {
  if (uri.length > MAX_ADDRESS) refuseAddress('The address is too long.')
  const end = uri.indexOf('?')
  const path = end === -1 ? uri : uri.slice(0, end)
  const query = end === -1 ? '' : uri.slice(end)
  // A list of addresses has a space in it, which no address has.
  if (!path.startsWith('/') || !/^[\x21-\x7e]*$/.test(query)) refuseAddress('The address is not one.')
  return { path, query }
}

const refuseAddress = (message: string): never => refuse('address_refused', message)

export const isRead = ({ method }: Pick<ForwardedRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD'

/**
 * A browser that opens a page, and can be sent elsewhere. Everything else gets a status: a redirect would lose the body
 * of a form, and answer a program with a page.
 */
export const isNavigation = (asked: Pick<ForwardedRequest, 'method'>, request: FastifyRequest): boolean =>
  isRead(asked) && showsPage(request)

/** A form that a page of the site itself sent, as far as the browser tells. */
export function isOwnForm(asked: ForwardedRequest, request: FastifyRequest): boolean {
  if (isRead(asked) || !showsPage(request)) return false
  const { origin, 'sec-fetch-site': site } = request.headers
  // Older browsers send Origin alone. Beside Sec-Fetch-Site it says nothing more, and is `null` for a page without a referrer.
  return site === undefined ? origin === undefined || origin === originOf(asked.host) : OWN_SITE.has(site)
}

const OWN_SITE: ReadonlySet<unknown> = new Set(['same-origin', 'none'])

/** Whether a person sees the answer as a page, also that to a form. */
function showsPage({ headers }: FastifyRequest): boolean {
  if (String(headers['x-requested-with']).toLowerCase() === 'xmlhttprequest') return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? /\btext\/html\b/i.test(headers.accept ?? '') : mode === 'navigate'
}

/** What a program sends with HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  user: string
  /** The digest of the password, or empty for one that is no app password: an account's own password is never taken. */
  passwordHash: string
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i
const APP_PASSWORD = /^ap_[A-Za-z0-9_-]{43}$/

/** Undefined without the header, or with one of another scheme, which is the application's. */
export function readBasicCredentials({ headers }: FastifyRequest): BasicCredentials | undefined {
  const header = headers.authorization ?? ''
  if (!/^Basic\b/i.test(header)) return undefined
  const text = Buffer.from(BASIC.exec(header)?.[1] ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  const password = text.slice(colon + 1)
  const isAppPassword = colon > 0 && APP_PASSWORD.test(password)
  return { user: text.slice(0, Math.max(colon, 0)), passwordHash: isAppPassword ? digest(password) : '' }
}

export const namesVisitor = ({ user }: BasicCredentials, { username, email }: Visitor): boolean =>
  user === username || normalizeEmail(user) === email

/** RFC 7617 section 2. */
export const BASIC_CHALLENGE = 'Basic realm="App password", charset="UTF-8"'
