import { Type } from 'typebox'
import type { Routes } from '../../http/contracts.ts'
import { failures, Nullable } from '../../http/contracts.ts'
import { toVisible } from '../../http/visible-name.ts'
import { actorOf } from '../../sessions/actor.ts'
import { signedIn } from '../../sessions/guards.ts'
import { AUTHORIZATION_PARAMETERS, Parameter } from '../contracts.ts'
import { readParameters, readQuery, refuseRepeated } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { approve } from './approve.ts'
import { readAttempt } from './continue-authorization.ts'

const tags = ['Consent']

const RequestParameters = Object.fromEntries(
  Object.entries(AUTHORIZATION_PARAMETERS).map(([name, description]) => [name, Parameter(description)]),
)

/** The consent page's data, and the user's decision. */
export const consentRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/oauth/details',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'The application and the requested scopes, for the consent page',
          description: 'Takes the query that the consent page was opened with, or an authorization request.',
          querystring: Type.Object(RequestParameters),
          response: {
            200: Type.Object(
              {
                client_id: Type.String(),
                name: Type.String(),
                operator: Nullable(Type.String({ description: 'Who runs the application, if that is known.' })),
                scopes: Type.Array(Type.String()),
                redirect_uri: Type.String(),
                user: Type.Object({ email: Type.String() }),
              },
              { title: 'ConsentDetails' },
            ),
            ...failures(400, 401),
          },
        },
      },
      async (request) => {
        const given = readQuery(request.url)
        refuseRepeated(given)
        const { request: authorization } = await readAttempt(provider, given)
        return {
          client_id: authorization.client.client_id,
          name: toVisible(authorization.client.name),
          operator: authorization.client.operator === null ? null : toVisible(authorization.client.operator),
          scopes: authorization.consentScopes,
          redirect_uri: authorization.redirectUri,
          user: { email: request.signedIn.user.email },
        }
      },
    )

    app.post(
      '/oauth/approve',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'Record what the user decided on the consent page',
          description: 'Takes the same parameters as /oauth/details. The request is checked again from the start.',
          // The authorization request may hold unknown parameters, which are ignored here too.
          body: Type.Object(
            {
              ...RequestParameters,
              approve: Type.Optional(Type.Boolean({ description: 'Absent means yes.' })),
            },
            { additionalProperties: { type: ['string', 'boolean', 'number'], maxLength: 64 * 1024 } },
          ),
          response: {
            200: Type.Object({ success: Type.Literal(true), redirectTo: Type.String() }),
            ...failures(400, 401, 409, 415),
          },
        },
      },
      async (request) => {
        const { approve: approved = true, ...parameters } = request.body
        const redirectTo = await approve(provider, {
          given: readParameters(new URLSearchParams(asText(parameters)).toString()),
          approve: approved,
          signedIn: request.signedIn,
          actor: actorOf(provider, request),
        })
        return { success: true as const, redirectTo }
      },
    )
  }

const asText = (parameters: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
