import { fastify, type FastifyError, type FastifyInstance, LogController } from 'fastify'
import { ERROR_REASONS } from './error-reasons.ts'
import { avatarRoutes } from './identity/account/avatar-routes.ts'
import { emailRoutes } from './identity/account/email-routes.ts'
import { accountRoutes } from './identity/account/routes.ts'
import { totpRoutes } from './identity/account/totp-routes.ts'
import { accessRoutes } from './identity/lifecycle/access-routes.ts'
import { batchRoutes } from './identity/lifecycle/batch-routes.ts'
import { lifecyclePreviewRoutes } from './identity/lifecycle/preview-routes.ts'
import { proofRoutes } from './identity/lifecycle/proof-routes.ts'
import { lifecycleRoutes } from './identity/lifecycle/routes.ts'
import { assignmentRoutes } from './identity/manage-roles/assignment-routes.ts'
import { roleRoutes } from './identity/manage-roles/routes.ts'
import { importRoutes } from './identity/manage-users/import-routes.ts'
import { invitationRoutes } from './identity/manage-users/invitation-routes.ts'
import { adminUserRoutes } from './identity/manage-users/routes.ts'
import { notMeRoutes } from './identity/not-me/routes.ts'
import { notificationRoutes } from './identity/notifications/routes.ts'
import { passkeyRoutes } from './identity/passkeys/routes.ts'
import { proofKeyRoutes } from './identity/receipts/proof-key-routes.ts'
import { freshRoutes } from './identity/sign-in/fresh-routes.ts'
import { passwordRoutes } from './identity/sign-in/password-routes.ts'
import { sessionRoutes } from './identity/sign-in/routes.ts'
import { usableAppRoutes } from './oauth/access/routes.ts'
import { logoRoutes } from './oauth/administration/logo-routes.ts'
import { clientRoutes } from './oauth/administration/routes.ts'
import { tellingRoutes } from './oauth/administration/telling-routes.ts'
import { previewRoutes, trialRoutes } from './oauth/administration/try-routes.ts'
import { grantRoutes } from './oauth/authorizations/routes.ts'
import { consentRoutes } from './oauth/authorize/consent-routes.ts'
import { showErrors } from './oauth/authorize/navigation-errors.ts'
import { authorizeRoutes } from './oauth/authorize/routes.ts'
import { deviceDecisionRoutes, deviceRoutes } from './oauth/device/routes.ts'
import { problemRoutes } from './oauth/problems/routes.ts'
import { discoveryRoutes } from './oauth/protocol/discovery-routes.ts'
import { acceptForms, acceptFormsWithRepeats } from './oauth/protocol/parameters.ts'
import { webFingerRoutes } from './oauth/protocol/webfinger-routes.ts'
import { createProvider } from './oauth/provider.ts'
import { signalRoutes, transmitterRoutes } from './oauth/signals/routes.ts'
import { tokenRoutes, userinfoRoutes } from './oauth/tokens/routes.ts'
import type { OpenServices } from './open-services.ts'
import { overviewRoutes } from './operations/overview/routes.ts'
import { settingsRoutes } from './operations/settings/routes.ts'
import { webhookRoutes } from './operations/webhooks/routes.ts'
import { auditRoutes } from './platform/audit/routes.ts'
import { answerTogether } from './platform/http/answer-together.ts'
import type { Routes } from './platform/http/contracts.ts'
import { allowAnyOrigin, allowDashboardOnly, ANY_ORIGIN } from './platform/http/cors.ts'
import { dashboardRoutes, sendNotFoundPage } from './platform/http/dashboard.ts'
import { answerClientErrors, latchkeyFormat, oauthFormat, sendError, type ErrorFormat } from './platform/http/errors.ts'
import { addHeaders, NO_REFERRER, NOT_CACHED, securityHeaders, setCommonHeaders } from './platform/http/headers.ts'
import { healthRoutes } from './platform/http/health.ts'
import { logRequests, withoutChildLoggers } from './platform/http/log.ts'
import { trackMethods } from './platform/http/methods.ts'
import { type ByPath, nearestByPath } from './platform/http/nearest-path.ts'
import { describeApi, openApiRoutes } from './platform/http/openapi.ts'
import { acceptJsonOnly, limitBodyTime } from './platform/http/request-body.ts'
import { requestErrors } from './platform/http/request-errors.ts'
import { compileSchemas } from './platform/http/schemas.ts'
import { wellKnownRoutes } from './platform/http/well-known-routes.ts'
import { newId } from './platform/ids.ts'
import { appPasswordRoutes } from './proxy/app-passwords/routes.ts'
import { proxyRoutes, PROXY_HEADERS, siteSignInRoutes } from './proxy/routes.ts'
import { siteAdminRoutes } from './proxy/site-admin-routes.ts'
import { authorityRoutes } from './ssh/authorities/routes.ts'
import { hostAdminRoutes } from './ssh/hosts/host-admin-routes.ts'
import { hostAgentRoutes } from './ssh/hosts/host-agent-routes.ts'
import { sshHostRoutes } from './ssh/hosts/routes.ts'
import { hostReportRoutes } from './ssh/reports/routes.ts'
import { hostSessionRoutes } from './ssh/reports/session-routes.ts'
import { sshRoutes } from './ssh/routes.ts'

const BODY_LIMIT = 256 * 1024
/** An authorization request may carry a state of 8 KB, percent-encoded. */
const HEADER_LIMIT = 64 * 1024
const REQUEST_TIMEOUT_MS = 60_000
const MAX_HEAD_MS = 10_000

interface Options {
  /** How long the request line and the headers may take to arrive, from the first byte on, or from the start of a connection. */
  maxHeadMs?: number
  /** How long a small body may take to arrive. */
  maxBodyMs?: number
}

export async function createApp(services: OpenServices, options: Options = {}): Promise<FastifyInstance> {
  const { maxHeadMs = MAX_HEAD_MS, maxBodyMs } = options
  const { config, log } = services
  const headers = securityHeaders(config)
  /** For answers to requests that no route takes. */
  const byPath = nearestByPath<RouteGroup>()
  const app = fastify({
    loggerInstance: withoutChildLoggers(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Requests that arrive while the service stops are answered, and their connections closed.
    return503OnClosing: false,
    // Node looks for requests that are late only so often, and by default every 30 seconds.
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: maxHeadMs,
      connectionsCheckingInterval: maxHeadMs / 10,
    },
    frameworkErrors: (error, request, reply) => {
      const { headers: common = headers, format = latchkeyFormat } = byPath.find(request.url) ?? {}
      void sendError(request, setCommonHeaders(request, reply, common), error, format)
    },
    clientErrorHandler: answerClientErrors(withoutHsts(headers), log),
  }) as unknown as FastifyInstance

  answerTogether(app.server)
  compileSchemas(app)
  acceptJsonOnly(app)
  limitBodyTime(app, maxBodyMs)
  logRequests(app, log)
  services.metrics?.measureRequests(app)
  await describeApi(app, { baseUrl: config.baseUrl, errorReasons: ERROR_REASONS })
  const answerOtherMethods = trackMethods(app)

  app.decorateRequest('signedIn')
  app.decorateRequest('enrolledHost')
  app.decorateRequest('signalReceiver')
  app.decorateReply('errorCode', null)
  answerErrors(app, latchkeyFormat)
  app.setNotFoundHandler((request, reply) => {
    setCommonHeaders(request, reply, { ...headers, ...NO_REFERRER })
    const page = sendNotFoundPage(request, reply)
    if (page) return page
    const error = requestErrors.nothing_at({ path: pathOf(request.url) })
    return sendError(request, reply, error, byPath.find(request.url)?.format ?? latchkeyFormat)
  })
  const groups = routeGroups(services, headers)
  for (const group of groups) await mount(app, group, byPath)

  answerOtherMethods()
  return app
}

/** Routes that are called in the same way. */
interface RouteGroup {
  routes: Routes[]
  /** On every answer. */
  headers: Record<string, string>
  /** From which origins pages may call them. Without it, from none but their own. */
  cors?: (part: FastifyInstance) => void
  /** What they accept besides JSON. */
  bodies?: (part: FastifyInstance) => void
  /** How errors are written: as a body in this format, or in a way of their own. */
  format: ErrorFormat
  errors?: (part: FastifyInstance) => void
}

/**
 * Every feature, in one list. A path that is none of theirs, such as one that can't be decoded, is answered as the nearest route would
 * answer: of several, that of the first group here.
 */
function routeGroups(services: OpenServices, headers: Record<string, string>): RouteGroup[] {
  const provider = createProvider(services)
  return [
    /** Anybody, from any page: discovery, keys, hosts. */
    {
      routes: [
        healthRoutes(services),
        openApiRoutes(),
        discoveryRoutes(provider),
        webFingerRoutes(services),
        wellKnownRoutes(services),
        transmitterRoutes(provider),
        proofKeyRoutes(services),
        authorityRoutes(services),
        sshHostRoutes(services),
      ],
      headers: { ...headers, ...ANY_ORIGIN },
      cors: allowAnyOrigin,
      format: latchkeyFormat,
    },
    /** Hosts, with a token of their own: no page calls these. */
    {
      routes: [hostAgentRoutes(services), hostReportRoutes(services)],
      headers: { ...headers, ...NOT_CACHED },
      format: latchkeyFormat,
    },
    /** The OAuth protocol, with errors in the format of RFC 6749. */
    {
      routes: [tokenRoutes(provider), deviceRoutes(provider), userinfoRoutes(provider)],
      headers: { ...headers, ...ANY_ORIGIN, ...NOT_CACHED },
      cors: allowAnyOrigin,
      bodies: acceptForms,
      format: oauthFormat,
    },
    /** Receivers of shared signals, with a token of their own: no page calls these. */
    {
      routes: [signalRoutes({ ...provider, waitingPolls: services.waitingPolls })],
      headers: { ...headers, ...NOT_CACHED },
      format: latchkeyFormat,
    },
    /** Where applications send browsers: links and forms of other sites, answered with pages and redirects. */
    {
      routes: [authorizeRoutes(provider)],
      headers: { ...headers, ...NOT_CACHED, ...NO_REFERRER },
      bodies: acceptFormsWithRepeats,
      format: oauthFormat,
      errors: (part) => showErrors(part, services),
    },
    /** Where proxies ask. What they make of an answer belongs to the site that they protect, so it has no headers of ours. */
    { routes: [proxyRoutes(provider)], headers: PROXY_HEADERS, format: latchkeyFormat },
    {
      routes: [siteSignInRoutes(provider)],
      headers: { ...headers, ...NOT_CACHED, ...NO_REFERRER },
      format: latchkeyFormat,
    },
    /** The dashboard's own API: one origin, a session cookie, nothing cached. */
    {
      routes: [
        sessionRoutes(services),
        freshRoutes(services),
        totpRoutes(services),
        passwordRoutes(services),
        accountRoutes(services),
        avatarRoutes(services),
        passkeyRoutes(services),
        appPasswordRoutes(services),
        sshRoutes(services),
        hostAdminRoutes(services),
        hostSessionRoutes(services),
        adminUserRoutes(services),
        invitationRoutes(services),
        emailRoutes(services),
        roleRoutes(services),
        assignmentRoutes(services),
        lifecycleRoutes(services),
        lifecyclePreviewRoutes(services),
        proofRoutes(services),
        accessRoutes(services),
        batchRoutes(services),
        importRoutes(services),
        notificationRoutes(services),
        notMeRoutes(services),
        auditRoutes(services),
        overviewRoutes(services),
        settingsRoutes(services),
        webhookRoutes(services),
        clientRoutes(provider),
        logoRoutes(provider),
        problemRoutes(provider),
        previewRoutes(provider),
        trialRoutes(provider),
        tellingRoutes(provider),
        usableAppRoutes(provider),
        siteAdminRoutes(provider),
        consentRoutes(provider),
        deviceDecisionRoutes(provider),
        grantRoutes(provider),
      ],
      headers: { ...headers, ...NOT_CACHED, vary: 'Origin' },
      cors: (part) => allowDashboardOnly(part, services.config),
      format: latchkeyFormat,
    },
    /** The pages, and what they are made of. */
    { routes: [dashboardRoutes()], headers: { ...headers, ...NO_REFERRER }, format: latchkeyFormat },
  ]
}

function mount(app: FastifyInstance, group: RouteGroup, byPath: ByPath<RouteGroup>) {
  const { routes, headers, cors, bodies, format, errors = (part) => answerErrors(part, format) } = group
  return app.register(
    named(async (part) => {
      part.addHook('onRoute', ({ url }) => byPath.add(url, group))
      addHeaders(part, headers)
      cors?.(part)
      bodies?.(part)
      errors(part)
      for (const feature of routes) await part.register(named(feature))
    }),
  )
}

/** For requests whose path is not known: a proxy may make the answer that of a site. */
const withoutHsts = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'strict-transport-security'))

const trustedProxies = (trusted: OpenServices['config']['trustProxy']) =>
  typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : (trusted ?? false)

/** Fastify compares a plugin that has no name with every loaded module, which would take a tenth of the start of the routes. */
const named = (plugin: Routes): Routes => Object.assign(plugin, { [Symbol.for('fastify.display-name')]: 'routes' })

function answerErrors(part: FastifyInstance, format: ErrorFormat): void {
  part.setErrorHandler<FastifyError>((error, request, reply) => sendError(request, reply, error, format))
}

const pathOf = (url: string): string => (url.split('?')[0] ?? '').slice(0, 200)
