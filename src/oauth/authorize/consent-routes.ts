import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { signedIn } from '../../identity/sessions/guards.ts'
import { Nullable, type Routes, failures } from '../../platform/http/contracts.ts'
import { toVisible } from '../../platform/http/visible-name.ts'
import { SignedInAs, signedInAs } from '../authorizations/signed-in-as.ts'
import { userMayUse } from '../clients/allowed-role-store.ts'
import { AUTHORIZATION_PARAMETERS, Parameter } from '../protocol/contracts.ts'
import { readParameters, readQuery, refuseRepeated } from '../protocol/parameters.ts'
import type { Provider } from '../provider.ts'
import { approve, readAttempt } from './continue-authorization.ts'
import { addressOf } from './form-post.ts'

const tags = ['Consent']

const RequestParameters = Object.fromEntries(
  Object.entries(AUTHORIZATION_PARAMETERS).map(([name, description]) => [name, Parameter(description)]),
)

/** The consent page's data, and the user's decision. */
export const consentRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/oauth/application',
      {
        schema: {
          tags,
          summary: 'The application that somebody is about to sign in to',
          description: 'Takes the authorization request that the sign-in page leads back to. Needs no session.',
          querystring: Type.Object(RequestParameters),
          response: {
            200: Type.Object({ name: Type.String(), logoUrl: Nullable(Type.String()) }, { title: 'SignInApplication' }),
            ...failures(400, 403),
          },
        },
      },
      async (request) => {
        const { client } = (await readAttempt(provider, readQuery(request.url))).request
        return { name: toVisible(client.name), logoUrl: client.logoUrl }
      },
    )

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
                logoUrl: Nullable(Type.String()),
                scopes: Type.Array(Type.String()),
                claims: Type.Array(Type.String(), { description: 'What it is told besides the claims of the scopes.' }),
                redirect_uri: Type.String(),
                allowed: Type.Boolean({ description: 'Whether you may use this application.' }),
                user: SignedInAs,
              },
              { title: 'ConsentDetails' },
            ),
            ...failures(400, 401, 403),
          },
        },
      },
      async (request) => {
        const given = readQuery(request.url)
        refuseRepeated(given)
        const { client, consentScopes, redirectUri } = (await readAttempt(provider, given)).request
        const { user } = request.signedIn
        return {
          client_id: client.client_id,
          name: toVisible(client.name),
          operator: client.operator === null ? null : toVisible(client.operator),
          logoUrl: client.logoUrl,
          scopes: consentScopes,
          claims: client.claims.map(({ name }) => name),
          redirect_uri: redirectUri,
          allowed: await userMayUse(provider.db.read, client.client_id, user.id),
          user: await signedInAs(provider.db.read, user),
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
            ...failures(400, 401, 403, 409, 415),
          },
        },
      },
      async (request) => {
        const { approve: approved = true, ...parameters } = request.body
        const step = await approve(provider, {
          given: readParameters(new URLSearchParams(asText(parameters)).toString()),
          approve: approved,
          signedIn: request.signedIn,
          actor: actorOf(provider, request),
        })
        return { success: true as const, redirectTo: addressOf(provider, step) }
      },
    )
  }

const asText = (parameters: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
