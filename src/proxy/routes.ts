import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Type } from 'typebox'
import { currentlySignedIn } from '../identity/sessions/guards.ts'
import type { Provider } from '../oauth/provider.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { failures, HIDDEN, type Routes } from '../platform/http/contracts.ts'
import { latchkeyFormat, sendError, sendThenDrain, toAppError } from '../platform/http/errors.ts'
import { requestErrors } from '../platform/http/request-errors.ts'
import { answerUnread, answerVisit } from './answer-visit.ts'
import { denialPage } from './denial-page.ts'
import { createSignVisitor } from './identity-headers.ts'
import { proxyErrors } from './proxy-errors.ts'
import {
  isShownAsPage,
  type ProxyAnswer,
  type ProxyEndpoint,
  type ProxyRequest,
  readProxyRequest,
} from './proxy-request.ts'
import { loginAddress } from './reserved-paths.ts'
import { signInAtSite, type SiteSignIn } from './sign-in-at-site.ts'
import { noteDenial, SiteDenial } from './site-denial.ts'
import { createTrustedPeers } from './trusted-peer.ts'

const tags = ['Applications behind a proxy']

/**
 * Headers of answers that a proxy makes those of a site: nothing that would bind the site's own host, such as HSTS, and
 * nothing that a cache may keep, since an answer depends on who asks.
 */
export const PROXY_HEADERS = { 'cache-control': 'no-store', vary: '*' }

const response = {
  200: Type.Null({
    description:
      'Let through. The headers Remote-User, -Email, -Name, -Groups and -Jwt name the visitor, or are empty.',
  }),
  302: Type.Null({ description: 'From forward-auth, for a browser that opens a page: to the sign-in.' }),
  ...failures(401, 403, 503),
}

const ENDPOINTS = {
  '/api/authz/forward-auth':
    'For Caddy, Traefik, HAProxy and Apache, and for the page that nginx shows for a denial. Takes every method, and reads X-Forwarded-Method, -Proto, -Host and -Uri. Only a peer whose address is in TRUST_PROXY is answered.',
  '/api/authz/auth-request':
    'For the module auth_request of nginx. Takes every method, and reads X-Original-Method and X-Original-URL. A 401 names the sign-in in X-Redirect-To. Only a peer whose address is in TRUST_PROXY is answered.',
}

/** Where proxies ask whether to let a request through. */
export const proxyRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    const gate = { ...provider, signVisitor: createSignVisitor(provider) }
    const isTrustedPeer = createTrustedPeers(provider)

    const answer = async (endpoint: ProxyEndpoint, request: FastifyRequest): Promise<ProxyAnswer> => {
      let asked: ProxyRequest
      try {
        if (!isTrustedPeer(request)) throw proxyErrors.proxy_not_trusted()
        asked = readProxyRequest(provider.locate, endpoint, request)
      } catch (error) {
        return answerUnread(endpoint, error)
      }
      return answerVisit(gate, asked)
    }
    /** The answer comes before the body is read: it depends on headers alone, whatever the body is. */
    const answering = (endpoint: ProxyEndpoint) => ({
      onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
        sendAnswer(
          request,
          reply,
          isSpelled(request, endpoint) ? await answer(endpoint, request) : { error: requestErrors.nothing_here() },
        ),
      handler: async () => {},
    })

    const methods = everyMethod(app)
    const others = methods.filter((method) => method !== 'GET')
    for (const [path, description] of Object.entries(ENDPOINTS)) {
      const endpoint = path as keyof typeof ENDPOINTS
      const summary = 'Whether a proxy lets a request through'
      const schema = { tags, summary, description, response }
      app.route({ method: 'GET', url: endpoint, schema, exposeHeadRoute: false, ...answering(endpoint) })
      app.route({ method: others, url: endpoint, schema: HIDDEN, ...answering(endpoint) })
    }
    app.route({
      method: methods,
      url: `${RESERVED}*`,
      schema: HIDDEN,
      exposeHeadRoute: false,
      ...answering(RESERVED),
    })
  }

/**
 * The router decodes escapes, and takes a whole URL for its path. A proxy that keeps strangers away from these paths may not do
 * the same, so they have one spelling.
 */
const isSpelled = ({ raw: { url = '' } }: FastifyRequest, endpoint: ProxyEndpoint): boolean =>
  endpoint === RESERVED ? url.startsWith(endpoint) : url === endpoint || url.startsWith(`${endpoint}?`)

/** Every method that Node reads, such as those of WebDAV; but CONNECT, which is no request for a page. */
function everyMethod(app: FastifyInstance): HTTPMethods[] {
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  return methods
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: ProxyAnswer): FastifyReply {
  void reply.headers(answer.headers ?? {})
  if ('error' in answer) return sendError(request, reply, answer.error, latchkeyFormat)
  if (answer.deniedFor) reply.errorCode = answer.deniedFor
  return sendThenDrain(request, reply.code(answer.status), answer.body)
}

const Text = (maxLength: number) => Type.String({ maxLength })
const SIGN_IN = '/api/authz/sign-in'

/** Where a site sends browsers to sign in. */
export const siteSignInRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    // A browser gets a page; whoever accepts none gets JSON.
    app.setErrorHandler((thrown, request, reply) => {
      const error = toAppError(thrown)
      const shown = error.status === 400 ? proxyErrors.forwarded_address_invalid() : error
      const isOfSite = shown instanceof SiteDenial
      // Before the parameters were checked they may be anything.
      const { host, to } = isOfSite ? (request.query as SiteSignIn) : { host: '', to: '/' }
      const [path = '/'] = to.split('?')
      const visited = { method: 'GET', host, path, query: to.slice(path.length) }
      if (isOfSite) noteDenial(provider.problems, SIGN_IN, visited, shown)
      if (shown.status !== 403 || !isShownAsPage(request))
        return sendAnswer(request, reply, { error: shown.status >= 500 ? thrown : shown })
      const visit = { acceptLanguage: request.headers['accept-language'] }
      const another = isOfSite ? loginAddress(visited, { account: 'another' }) : undefined
      return sendAnswer(request, reply, denialPage(visit, shown, another))
    })

    app.get(
      SIGN_IN,
      {
        schema: {
          tags,
          summary: 'Sign in at a site',
          description: 'A site sends browsers here. Goes on to the sign-in page, or back to the site with a code.',
          querystring: Type.Object({
            host: Text(300),
            state: Text(100),
            to: Text(4000),
            account: Type.Optional(Text(20)),
          }),
          response: {
            302: Type.Null({ description: 'To the sign-in page, or back to the site.' }),
            ...failures(403, 503),
          },
        },
      },
      async (request, reply) => {
        const signedIn = await currentlySignedIn(provider, request)
        return reply.redirect(await signInAtSite(provider, request.query, signedIn), 302)
      },
    )
  }
