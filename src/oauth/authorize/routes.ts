import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Routes } from '../../http/contracts.ts'
import { sourceOf } from '../../http/request-source.ts'
import { currentlySignedIn } from '../../sessions/guards.ts'
import { clearSessionCookie } from '../../sessions/session-cookie.ts'
import {
  AUTHORIZATION_PARAMETERS,
  consumes,
  describeParameters,
  LOGOUT_PARAMETERS,
  oauthFailures,
} from '../contracts.ts'
import { logOut, readLogoutParameters, readLogoutRequest } from '../logout/log-out.ts'
import { type Parameters, type ReadParameters, readQuery } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { knownParameters } from './authorization-request.ts'
import { continueAuthorization, readAttempt } from './continue-authorization.ts'
import { packPendingRequest } from './pending-request.ts'
import { encodeQuery } from './sign-in-reason.ts'

const tags = ['OAuth']
const response = {
  302: Type.Null({ description: 'A redirect to the next page, or back to the application.' }),
  ...oauthFailures(400, 503),
}

/** An endpoint that applications send browsers to. */
interface Navigation {
  url: string
  summary: string
  parameters: Record<string, string>
  /** Returns where the browser goes next. */
  run(request: FastifyRequest, reply: FastifyReply, given: ReadParameters): Promise<string>
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
          return continueAuthorization(provider, attempt, await currentlySignedIn(provider, request))
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
          return redirectTo
        },
        repeat: async (given) => readLogoutParameters(given),
      },
    ]
    for (const { url, summary, parameters, run, repeat } of navigations) {
      app.route({
        method: 'GET',
        url,
        schema: { tags, summary, querystring: describeParameters(parameters), response },
        handler: async (request, reply) => reply.redirect(await run(request, reply, readQuery(request.url)), 302),
      })
      app.route({
        method: 'POST',
        url,
        schema: { tags, summary: `${summary}, with a form`, consumes, body: describeParameters(parameters), response },
        handler: async (request, reply) => {
          const given = request.body as unknown as ReadParameters
          if (request.headers['sec-fetch-site'] !== 'cross-site')
            return reply.redirect(await run(request, reply, given), 302)
          // Our cookies are SameSite=Lax: a form of another site comes without them, and may come with cookies that a
          // sibling domain has set. The browser sends ours with the same request as a GET.
          return reply.redirect(`${url}?${encodeQuery(await repeat(given))}`, 303)
        },
      })
    }
  }
