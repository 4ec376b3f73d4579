import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, refuse } from '../errors.ts'
import type { Provider } from '../oauth/provider.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf } from '../oauth/sites/site-host.ts'
import { latchkeyFormat, sendError, sendThenDrain, toAppError } from '../platform/http/errors.ts'
import { SignInNeeded, admitVisit } from './admit-visit.ts'
import { sendDenialPage, sendFormPage } from './denial-page.ts'
import { type SignVisitor, createSignVisitor, identityHeaders } from './identity-headers.ts'
import {
  type ForwardedRequest,
  isNavigation,
  isOwnForm,
  readAuthRequest,
  readForwardAuth,
  readHandedOn,
} from './proxy-request.ts'
import { answerReservedPath, loginAddress } from './reserved-paths.ts'
import { SiteDenial, noteDenial } from './site-denial.ts'
import { type IsTrustedPeer, createTrustedPeers } from './trusted-peer.ts'

/** What the endpoints for proxies have in memory. */
export interface ProxyGate extends Provider {
  signVisitor: SignVisitor
  isTrustedPeer: IsTrustedPeer
}

export const createProxyGate = (provider: Provider): ProxyGate => ({
  ...provider,
  signVisitor: createSignVisitor(provider),
  isTrustedPeer: createTrustedPeers(provider),
})

/** How the proxies ask, and what they can make of an answer. */
const DIALECTS = {
  /**
   * Caddy, Traefik, HAProxy and Apache hand the whole answer on, so this service can answer the visitor itself. nginx asks here
   * for what it shows instead of a refusal.
   */
  '/api/authz/forward-auth': { read: readForwardAuth, handsOn: true },
  /** The module auth_request of nginx takes 200, 401 and 403, and nothing but their headers. */
  '/api/authz/auth-request': { read: readAuthRequest, handsOn: false },
} as const
export type ProxyEndpoint = keyof typeof DIALECTS
export const PROXY_ENDPOINTS = Object.keys(DIALECTS) as ProxyEndpoint[]

/** Answers a proxy that asks whether to let a request through. */
export async function answerVisit(
  gate: ProxyGate,
  endpoint: ProxyEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { read, handsOn } = DIALECTS[endpoint]
  let asked: ForwardedRequest | undefined
  try {
    if (!gate.isTrustedPeer(request)) refuse('proxy_not_trusted', 'Only a proxy of TRUST_PROXY may ask here.')
    asked = read(request)
    if (asked.path.startsWith(RESERVED) && handsOn)
      return redirect(request, reply, await answerReservedPath(gate, asked, request, reply))
    const { row, visitor } = await admitVisit(gate, asked, request)
    void reply.headers(identityHeaders(gate.signVisitor, { host: asked.host, headerNames: row.headerNames, visitor }))
    return sendThenDrain(request, reply.code(200), '')
  } catch (error) {
    return sendRefusal(gate, { endpoint, handsOn, asked }, error, request, reply)
  }
}

/** Answers the paths of a site that nginx and Apache hand on as they are. For others than a trusted proxy there is nothing. */
export async function answerHandedOn(
  gate: ProxyGate,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let asked: ForwardedRequest | undefined
  try {
    if (!gate.isTrustedPeer(request)) refuse('not_found', 'There is nothing here.')
    asked = readHandedOn(request)
    return redirect(request, reply, await answerReservedPath(gate, asked, request, reply))
  } catch (error) {
    const found = toAppError(error)
    const isUnknown = found.code === 'unknown_host' || found.code === 'address_refused'
    const shown = isUnknown ? new AppError('not_found', 'There is nothing here.') : error
    return sendRefusal(gate, { endpoint: undefined, handsOn: true, asked }, shown, request, reply)
  }
}

const redirect = (request: FastifyRequest, reply: FastifyReply, address: string): FastifyReply =>
  sendThenDrain(request, reply.code(302).header('location', address).header('referrer-policy', 'no-referrer'), '')

interface Refused {
  /** Undefined for the paths that are handed on. */
  endpoint: ProxyEndpoint | undefined
  handsOn: boolean
  /** Undefined when the proxy did not say what the visitor asked for. */
  asked: ForwardedRequest | undefined
}

function sendRefusal(
  { problems }: ProxyGate,
  { endpoint, handsOn, asked }: Refused,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown)
  const navigates = asked !== undefined && isNavigation(asked, request)
  if (navigates && error instanceof SignInNeeded && !error.isWrong) {
    if (handsOn) return redirect(request, reply, loginAddress(asked))
    void reply.header('x-redirect-to', loginAddress(asked))
  }
  // Whoever reloads this page sends the form again, so it is not for forms that another site sent.
  if (asked && handsOn && error instanceof SignInNeeded && !error.isWrong && isOwnForm(asked, request)) {
    reply.refusalCode = error.code
    return sendFormPage(request, reply, error, loginAddress({ ...asked, ...formOf(asked, request) }))
  }
  if (asked && endpoint && error instanceof SiteDenial) noteDenial(problems, endpoint, asked, error)
  const isPage = navigates && (error.status === 403 || error.status === 404)
  reply.refusalCode = error.code
  if (isPage) return sendDenialPage(request, reply, error, loginAddress(asked, { account: 'another' }))
  return sendError(request, reply, handsOn ? thrown : forNginx(error), latchkeyFormat)
}

/** The page that a form is on, as far as the browser tells; otherwise what the form was sent to. */
function formOf({ host, path, query }: ForwardedRequest, { headers }: FastifyRequest): { path: string; query: string } {
  const page = URL.parse(headers.referer ?? '')
  return page?.origin === originOf(host) ? { path: page.pathname, query: page.search } : { path, query }
}

/** nginx turns every other status into a 500 of its own. A failure of ours is 503: nothing is let through. */
const forNginx = (error: AppError): AppError => {
  if (error.status === 401 || error.status === 403 || error.status === 503) return error
  if (error.status >= 500) return new AppError('unavailable', error.message, { cause: error, retryAfter: 2 })
  return new AppError('address_refused', error.message)
}
