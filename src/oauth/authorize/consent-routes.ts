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
import { readAsked } from './continue-authorization.ts'

const tags = ['Consent']

const Asked = Object.fromEntries(
  Object.entries(AUTHORIZATION_PARAMETERS).map(([name, description]) => [name, Parameter(description)]),
)

/** What the consent page shows, and where it says what the user decided. */
export const consentRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/oauth/details',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'Who asks for what, for the consent page',
          description: 'Takes the query that the consent page was opened with, or an authorization request.',
          querystring: Type.Object(Asked),
          response: {
            200: Type.Object(
              {
                client_id: Type.String(),
                name: Type.String(),
                operator: Nullable(Type.String({ description: 'Who runs the application, if its record says so.' })),
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
        const { request: asked } = await readAsked(provider, given)
        return {
          client_id: asked.client.client_id,
          name: toVisible(asked.client.name),
          operator: asked.client.operator === null ? null : toVisible(asked.client.operator),
          scopes: asked.consentScopes,
          redirect_uri: asked.redirectUri,
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
          // Whatever else the authorization request held comes along, and is ignored here as it is there.
          body: Type.Object(
            {
              ...Asked,
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
        const { approve: said = true, ...parameters } = request.body
        const redirectTo = await approve(provider, {
          given: readParameters(new URLSearchParams(asText(parameters)).toString()),
          approve: said,
          who: request.signedIn,
          actor: actorOf(provider, request),
        })
        return { success: true as const, redirectTo }
      },
    )
  }

const asText = (parameters: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
