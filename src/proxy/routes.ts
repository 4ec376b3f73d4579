import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import type { Provider } from '../oauth/provider.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { failures, HIDDEN, type Routes } from '../platform/http/contracts.ts'
import { latchkeyFormat, sendError } from '../platform/http/errors.ts'
import { answerHandedOn, answerVisit, createProxyGate, PROXY_ENDPOINTS } from './answer-visit.ts'

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

const DESCRIPTIONS = {
  '/api/authz/forward-auth':
    'For Caddy, Traefik, HAProxy and Apache, and for the page that nginx shows instead of a refusal. Takes every method, and reads X-Forwarded-Method, -Proto, -Host and -Uri. Only a peer whose address is in TRUST_PROXY is answered.',
  '/api/authz/auth-request':
    'For the module auth_request of nginx. Takes every method, and reads X-Original-Method and X-Original-URL. A 401 names the sign-in in X-Redirect-To. Only a peer whose address is in TRUST_PROXY is answered.',
}

/** Where proxies ask whether to let a request through. */
export const proxyRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    const gate = createProxyGate(provider)
    const methods = everyMethod(app)
    for (const endpoint of PROXY_ENDPOINTS) {
      const answer = async (request: FastifyRequest, reply: FastifyReply) =>
        isSpelled(request, endpoint) ? answerVisit(gate, endpoint, request, reply) : sendNothing(request, reply)
      const summary = 'Whether a proxy lets a request through'
      const schema = { tags, summary, description: DESCRIPTIONS[endpoint], response }
      app.route({ method: 'GET', url: endpoint, schema, exposeHeadRoute: false, ...answering(answer) })
      app.route({
        method: methods.filter((method) => method !== 'GET'),
        url: endpoint,
        schema: HIDDEN,
        ...answering(answer),
      })
    }
    app.route({
      method: methods,
      url: `${RESERVED}*`,
      schema: HIDDEN,
      exposeHeadRoute: false,
      ...answering(async (request, reply) =>
        (request.raw.url ?? '').startsWith(RESERVED)
          ? answerHandedOn(gate, request, reply)
          : sendNothing(request, reply),
      ),
    })
  }

/**
 * The router decodes escapes, and takes a whole URL for its path. A proxy that keeps strangers away from these paths may not do
 * the same, so they have one spelling.
 */
const isSpelled = ({ raw: { url = '' } }: FastifyRequest, path: string): boolean =>
  url === path || url.startsWith(`${path}?`)

const sendNothing = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(request, reply, new AppError('not_found', 'There is nothing here.'), latchkeyFormat)

/** The answer comes before the body is read: it depends on headers alone, whatever the body is. */
const answering = (answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => ({
  onRequest: answer,
  handler: async () => {},
})

/** Every method that Node reads, such as those of WebDAV; but CONNECT, which is no request for a page. */
function everyMethod(app: FastifyInstance): HTTPMethods[] {
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  return methods
}
