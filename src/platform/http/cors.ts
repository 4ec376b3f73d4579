import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { guardOf } from './contracts.ts'
import { hasBearer } from './credentials.ts'
import { requestErrors } from './request-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this from a page of another origin, and how a preflight is answered. */
    cors?: 'anyone' | 'dashboard'
    /** Whether an access token is as good as a session here. */
    acceptsBearer?: boolean
  }
}

const PREFLIGHT_SECONDS = '600'

/** On the answers of public protocol endpoints: any page may call them, and no cookie ever counts there. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

/** Lets a page that may call the endpoint also read the headers of an error. */
export function exposeErrorHeaders(reply: FastifyReply): void {
  if (reply.hasHeader('access-control-allow-origin'))
    reply.header('access-control-expose-headers', 'WWW-Authenticate, Retry-After, X-Request-Id')
}

export function allowAnyOrigin(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, cors: 'anyone' }
  })
}

/** Dashboard and administrative endpoints: one origin may call them with its cookie, and no other may change anything. */
export function allowDashboardOnly(app: FastifyInstance, { dashboardOrigin }: Pick<Config, 'dashboardOrigin'>): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, cors: 'dashboard', acceptsBearer: guardOf(route)?.acceptsBearer ?? false }
  })
  const foreign = requestErrors.foreign_page({ origin: dashboardOrigin })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin === dashboardOrigin) {
      reply.header('access-control-allow-origin', dashboardOrigin)
      reply.header('access-control-allow-credentials', 'true')
    }
    done(isForeignChange(request, dashboardOrigin) ? foreign : undefined)
  })
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Whether a request may change something (RFC 9110 section 9.2.1). */
export const isChange = ({ method }: FastifyRequest): boolean => !SAFE.has(method)

const OWN_SITES = new Set([undefined, 'same-origin', 'same-site', 'none'])

/**
 * Cross-site request forgery. A browser names the page's origin in `Origin`; where it sends none, `Sec-Fetch-Site` says
 * whether the request crossed sites. A client that is no browser sends neither, and carries no ambient cookie to abuse.
 */
function isForeignChange(request: FastifyRequest, dashboardOrigin: string): boolean {
  if (!isChange(request)) return false
  // No browser adds a token by itself, and where one is sent, no cookie counts.
  if (request.routeOptions.config.acceptsBearer === true && hasBearer(request)) return false
  const { origin } = request.headers
  if (origin !== undefined) return origin !== dashboardOrigin
  return !OWN_SITES.has(request.headers['sec-fetch-site'])
}

export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  cors: 'anyone' | 'dashboard' | undefined,
  methods: string,
): void {
  const { origin } = request.headers
  if (origin === undefined || request.headers['access-control-request-method'] === undefined) return
  // The headers that name the origin were set by this context's own hook; without them there is nothing to allow.
  if (cors === undefined || reply.getHeader('access-control-allow-origin') === undefined) return
  reply.header('access-control-allow-methods', methods)
  reply.header(
    'access-control-allow-headers',
    cors === 'anyone' ? 'Authorization, Content-Type' : 'Content-Type, Last-Event-ID, X-Latchkey-User',
  )
  reply.header('access-control-max-age', PREFLIGHT_SECONDS)
}
