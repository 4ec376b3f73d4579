import { Type } from 'typebox'
import { digest } from '../../crypto/digest.ts'
import { refuse } from '../../errors.ts'
import { type Routes, Success, success } from '../../http/contracts.ts'
import { authenticateClient } from '../clients/authenticate-client.ts'
import { byClient, ClientCredentials, consumes, oauthFailures, Parameter } from '../contracts.ts'
import type { Parameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { introspect } from './introspect.ts'
import { answerTokenRequest } from './token-request.ts'
import { deleteAccessToken, markFamilyRevoked } from './token-store.ts'

const tags = ['OAuth']

const TokenForm = Type.Object({
  grant_type: Parameter('authorization_code, refresh_token or client_credentials.'),
  ...ClientCredentials,
  code: Parameter('For authorization_code.'),
  redirect_uri: Parameter('For authorization_code: that of the authorization request.'),
  code_verifier: Parameter('For authorization_code: 43 to 128 characters from A-Z a-z 0-9 - . _ ~'),
  refresh_token: Parameter('For refresh_token.'),
  scope: Parameter('For refresh_token and client_credentials: fewer scopes than there could be.'),
})

const TokenAnswer = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    scope: Type.String(),
  },
  { title: 'TokenAnswer' },
)

const TokenToLookAt = Type.Object({
  token: Parameter('An access or refresh token.'),
  token_type_hint: Parameter('access_token or refresh_token; a wrong one does no harm.'),
  ...ClientCredentials,
})

const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String()),
    exp: Type.Optional(Type.Integer()),
    iat: Type.Optional(Type.Integer()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
  },
  { title: 'Introspection' },
)

/** What an application asks of us directly, without a browser between. */
export const tokenRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/token',
      {
        schema: {
          tags,
          summary: 'Exchange a code, a refresh token or client credentials for tokens',
          description: 'RFC 6749 section 3.2, RFC 7636, OpenID Connect Core 3.1.3.',
          security: byClient,
          consumes,
          body: TokenForm,
          response: { 200: TokenAnswer, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      (request) => answerTokenRequest(provider, request, request.body as Parameters),
    )

    app.post(
      '/oauth/introspect',
      {
        schema: {
          tags,
          summary: 'Tell whether a token is live, and what it is for',
          description: 'RFC 7662. A token that is not live is answered with active: false and nothing else.',
          security: byClient,
          consumes,
          body: TokenToLookAt,
          response: { 200: Introspection, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      async (request) => {
        const form = request.body as Parameters
        const client = await authenticateClient(provider, request, form)
        return introspect(provider, client, form['token'] ?? missingToken())
      },
    )

    app.post(
      '/oauth/revoke',
      {
        schema: {
          tags,
          summary: 'Revoke a token',
          description: 'RFC 7009. A refresh token takes with it all tokens of the same authorization.',
          security: byClient,
          consumes,
          body: TokenToLookAt,
          response: { 200: Success, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      async (request) => {
        const form = request.body as Parameters
        const { client_id: clientId } = await authenticateClient(provider, request, form)
        const token = form['token'] ?? missingToken()
        // The token's own shape says what it is, so a wrong hint is no obstacle (RFC 7009 section 2.1).
        await provider.db.transaction((trx) =>
          token.startsWith('rt_')
            ? markFamilyRevoked(trx, digest(token), clientId, provider.now())
            : deleteAccessToken(trx, digest(token), clientId),
        )
        return success
      },
    )
  }

const missingToken = () => refuse('invalid_request', 'The parameter token is missing.')
