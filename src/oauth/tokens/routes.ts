import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { type Routes, Success, success } from '../../platform/http/contracts.ts'
import { runAsClient } from '../clients/authenticate-client.ts'
import { readClientRequest } from '../clients/client-request.ts'
import { DEVICE_CODE } from '../clients/client.ts'
import { clientSecurity, ClientCredentials, consumes, oauthFailures, Parameter } from '../contracts.ts'
import type { Provider } from '../provider.ts'
import { introspect } from './introspect.ts'
import { revokeToken } from './revoke-token.ts'
import { answerTokenRequest } from './token-request.ts'

const tags = ['OAuth']

const TokenForm = Type.Object({
  grant_type: Parameter(`authorization_code, refresh_token, client_credentials or ${DEVICE_CODE}.`),
  ...ClientCredentials,
  code: Parameter('For authorization_code.'),
  redirect_uri: Parameter('For authorization_code: that of the authorization request.'),
  code_verifier: Parameter(
    'For a code whose request had a code_challenge: 43 to 128 characters from A-Z a-z 0-9 - . _ ~',
  ),
  refresh_token: Parameter('For refresh_token.'),
  device_code: Parameter('For a device code: the one that the device was given.'),
  scope: Parameter('For refresh_token and client_credentials: fewer scopes than were granted.'),
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

const OneTokenForm = Type.Object({
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
  { title: 'Introspection', additionalProperties: true },
)

/** The endpoints that applications call themselves, not through a browser. */
export const tokenRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/token',
      {
        schema: {
          tags,
          summary: 'Exchange a code, a refresh token or client credentials for tokens',
          description: 'RFC 6749 section 3.2, RFC 7636, RFC 8628 section 3.4, OpenID Connect Core 3.1.3.',
          security: clientSecurity,
          consumes,
          body: TokenForm,
          response: { 200: TokenAnswer, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      (request) => answerTokenRequest(provider, readClientRequest(provider.locate, request)),
    )

    app.post(
      '/oauth/introspect',
      {
        schema: {
          tags,
          summary: 'Whether a token is live, and what it is for',
          description: 'RFC 7662. A token that is not live is answered with active: false and nothing else.',
          security: clientSecurity,
          consumes,
          body: OneTokenForm,
          response: { 200: Introspection, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      (request) => {
        const call = readClientRequest(provider.locate, request)
        return runAsClient(provider, call, async (client) =>
          introspect(provider, client, call.form['token'] ?? refuseMissingToken()),
        )
      },
    )

    app.post(
      '/oauth/revoke',
      {
        schema: {
          tags,
          summary: 'Revoke a token',
          description: 'RFC 7009. With a refresh token all tokens of the same authorization are revoked.',
          security: clientSecurity,
          consumes,
          body: OneTokenForm,
          response: { 200: Success, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      async (request) => {
        const call = readClientRequest(provider.locate, request)
        await runAsClient(provider, call, async (client) =>
          revokeToken(provider, client.client_id, call.form['token'] ?? refuseMissingToken()),
        )
        return success
      },
    )
  }

const refuseMissingToken = () => refuse('invalid_request', 'The parameter token is missing.')
