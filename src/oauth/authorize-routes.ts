import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Routes } from '../http/contracts.ts'
import { currentlySignedIn } from '../sessions/guards.ts'
import { AUTHORIZATION_PARAMETERS, consumes, described, LOGOUT_PARAMETERS, oauthFailures } from './contracts.ts'
import { continueAuthorization, readAsked } from './continue-authorization.ts'
import { logOut } from './log-out.ts'
import { type ReadParameters, readQuery } from './parameters.ts'
import type { Provider } from './provider.ts'

const tags = ['OAuth']
const response = {
  302: Type.Null({ description: 'On to the next page, or back to the application.' }),
  ...oauthFailures(400, 503),
}

/** Answers where the browser goes next. */
type Navigation = (request: FastifyRequest, reply: FastifyReply, given: ReadParameters) => Promise<string>

/** Where applications send browsers. Both take GET and POST (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 2). */
export const authorizeRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    const add = (url: string, summary: string, parameters: Record<string, string>, run: Navigation) => {
      app.route({
        method: 'GET',
        url,
        schema: { tags, summary, querystring: described(parameters), response },
        handler: async (request, reply) => reply.redirect(await run(request, reply, readQuery(request.url)), 302),
      })
      app.route({
        method: 'POST',
        url,
        schema: { tags, summary: `${summary}, by a form`, consumes, body: described(parameters), response },
        handler: async (request, reply) => {
          const given = request.body as unknown as ReadParameters
          if (request.headers['sec-fetch-site'] !== 'cross-site')
            return reply.redirect(await run(request, reply, given), 302)
          // Our cookies are Lax, so another site's form comes without them, and with none but what a sibling domain may
          // have planted. As a GET the same request brings ours along.
          return reply.redirect(`${url}?${new URLSearchParams(given.values).toString()}`, 303)
        },
      })
    }

    add(
      '/oauth/authorize',
      'Ask for an authorization code',
      AUTHORIZATION_PARAMETERS,
      async (request, _reply, given) => {
        const asked = await readAsked(provider, given)
        return continueAuthorization(provider, asked, await currentlySignedIn(provider, request))
      },
    )
    add(
      '/oauth/logout',
      'Sign the user out at the wish of an application',
      LOGOUT_PARAMETERS,
      (request, reply, given) => logOut(provider, request, reply, given),
    )
  }
