import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { type Routes, Success, success } from '../../platform/http/contracts.ts'
import { readBearer } from '../../platform/http/credentials.ts'
import { readClientRequest, runAsClient } from '../clients/authenticate-client.ts'
import { GRANT_TYPES } from '../clients/grant-types.ts'
import { ClientCredentials, Parameter, clientSecurity, consumes, oauthFailures } from '../protocol/contracts.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { introspect, revokeToken } from './introspect-and-revoke.ts'
import { tokenErrors } from './token-errors.ts'
import { GRANT_PARAMETERS, answerTokenRequest } from './token-request.ts'
import { readUserinfo } from './userinfo.ts'

const tags = ['OAuth']

const TokenForm = Type.Object({
  grant_type: Parameter(`One of ${GRANT_TYPES.join(', ')}.`),
  ...ClientCredentials,
  ...Object.fromEntries(Object.entries(GRANT_PARAMETERS).map(([name, text]) => [name, Parameter(text)])),
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
    acr: Type.Optional(
      Type.String({ description: 'How strong the sign-in was, where a person stands behind the token.' }),
    ),
    auth_time: Type.Optional(Type.Integer()),
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

const refuseMissingToken = () => refuse(protocolErrors.parameter_missing({ name: 'token' }))

const Userinfo = Type.Object(
  {
    sub: Type.String(),
    name: Type.Optional(Type.String()),
    given_name: Type.Optional(Type.String()),
    family_name: Type.Optional(Type.String()),
    preferred_username: Type.Optional(Type.String()),
    picture: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
    groups: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'Userinfo', additionalProperties: true },
)

const schema = {
  tags: ['OAuth'],
  description: 'OpenID Connect Core 5.3. The claims depend on the scopes of the access token.',
  security: [{ bearer: [] }],
  response: { 200: Userinfo, ...oauthFailures(400, 401, 403, 503) },
}

/** Who the user of an access token is. */
export const userinfoRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get('/oauth/userinfo', { schema: { ...schema, summary: 'Who the user is' } }, (request) =>
      readUserinfo(provider, readToken(request)),
    )
    app.post(
      '/oauth/userinfo',
      // RFC 6750 section 2.2 lets a form carry the token, so there may be a body and need not be one.
      { schema: { ...schema, summary: 'Who the user is, by POST', consumes } },
      (request) => readUserinfo(provider, readToken(request, (request.body as Parameters | undefined) ?? {})),
    )
  }

/** RFC 6750 section 2: in the header or in a form, never in the URL, never in two places. */
function readToken(request: FastifyRequest, form: Parameters = {}): string | undefined {
  const inHeader = readBearer(request)
  const inForm = form['access_token']
  if (inHeader !== undefined && inForm !== undefined)
    throw tokenErrors.access_token_repeated({
      challenge: 'Bearer error="invalid_request"',
    })
  return inHeader ?? inForm
}
