import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { currentlySignedIn } from '../../identity/sessions/guards.ts'
import { clearSessionCookie } from '../../identity/sessions/session-cookie.ts'
import type { Routes } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import {
  AUTHORIZATION_PARAMETERS,
  LOGOUT_PARAMETERS,
  consumes,
  describeParameters,
  oauthFailures,
} from '../protocol/contracts.ts'
import { type Parameters, type ReadParameters, readQuery } from '../protocol/parameters.ts'
import type { Provider } from '../provider.ts'
import { type NextStep, knownParameters } from './authorization-request.ts'
import { continueAuthorization, readAttempt } from './continue-authorization.ts'
import { FORM_POST_PATH, sendNextStep, takeFormPost } from './form-post.ts'
import { logOut, readLogoutParameters, readLogoutRequest } from './log-out.ts'
import { packPendingRequest } from './pending-request.ts'
import { encodeQuery } from './sign-in-reason.ts'

const tags = ['OAuth']
const response = {
  200: Type.Unsafe<string>({ type: 'string', description: 'A page whose form brings the answer to the application.' }),
  302: Type.Null({ description: 'A redirect to the next page, or back to the application.' }),
  ...oauthFailures(400, 503),
}

/** An endpoint that applications send browsers to. */
interface Navigation {
  url: string
  summary: string
  parameters: Record<string, string>
  run(request: FastifyRequest, reply: FastifyReply, given: ReadParameters): Promise<NextStep>
  /** The parameters to send again as a GET, after every check that does not need a session. */
  repeat(given: ReadParameters): Promise<Parameters>
}

/** Both take GET and POST (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 2). */
export const authorizeRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    const navigations: Navigation[] = [
      {
        url: '/oauth/authorize',
        summary: 'Request an authorization code',
        parameters: AUTHORIZATION_PARAMETERS,
        async run(request, _reply, given) {
          const attempt = await readAttempt(provider, given)
          const signedIn = await currentlySignedIn(provider, request)
          return continueAuthorization(provider, attempt, signedIn, () => sourceOf(provider.locate, request))
        },
        async repeat(given) {
          const { request, pending } = await readAttempt(provider, given)
          return pending ? { pending_request: packPendingRequest(provider, pending) } : knownParameters(request)
        },
      },
      {
        url: '/oauth/logout',
        summary: 'Sign the user out at the request of an application',
        parameters: LOGOUT_PARAMETERS,
        async run(request, reply, given) {
          const logout = await readLogoutRequest(provider, given)
          const signedIn = logout.hint && (await currentlySignedIn(provider, request))
          const source = sourceOf(provider.locate, request)
          const { redirectTo, signedOut } = await logOut(provider, logout, { signedIn, source })
          if (signedOut) clearSessionCookie(provider.config, reply)
          return { redirectTo }
        },
        repeat: async (given) => readLogoutParameters(given),
      },
    ]
    app.get(
      FORM_POST_PATH,
      {
        // It answers once, and a HEAD would use that up.
        exposeHeadRoute: false,
        schema: {
          tags,
          summary: 'The answer to an authorization request, as a form',
          querystring: describeParameters({ response: 'Set by this server.' }),
          response,
        },
      },
      async (request, reply) =>
        sendNextStep(reply, await takeFormPost(provider, readQuery(request.url).values['response'] ?? '')),
    )
    for (const { url, summary, parameters, run, repeat } of navigations) {
      app.route({
        method: 'GET',
        url,
        schema: { tags, summary, querystring: describeParameters(parameters), response },
        handler: async (request, reply) => sendNextStep(reply, await run(request, reply, readQuery(request.url))),
      })
      app.route({
        method: 'POST',
        url,
        schema: { tags, summary: `${summary}, with a form`, consumes, body: describeParameters(parameters), response },
        handler: async (request, reply) => {
          const given = request.body as unknown as ReadParameters
          if (request.headers['sec-fetch-site'] !== 'cross-site')
            return sendNextStep(reply, await run(request, reply, given))
          // Our cookies are SameSite=Lax: a form of another site comes without them, and may come with cookies that a
          // sibling domain has set. The browser sends ours with the same request as a GET.
          return reply.redirect(`${url}?${encodeQuery(await repeat(given))}`, 303)
        },
      })
    }
  }
