import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { digest } from '../../crypto/digest.ts'
import type { Routes } from '../../http/contracts.ts'
import { sendTagged } from '../../http/etag.ts'
import type { Services } from '../../services.ts'
import { GRANT_TYPES } from '../clients/client.ts'
import { SUPPORTED_SCOPES } from '../scope.ts'

const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'none']

/** RFC 8414 and OpenID Connect Discovery 1.0. All of it follows from BASE_URL, never from the request. */
const metadata = ({ baseUrl }: Pick<Config, 'baseUrl'>) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
  userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  end_session_endpoint: `${baseUrl}/oauth/logout`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  scopes_supported: SUPPORTED_SCOPES,
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  introspection_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  claim_types_supported: ['normal'],
  claims_supported: [
    'iss',
    'sub',
    'aud',
    'iat',
    'exp',
    'nonce',
    'auth_time',
    'acr',
    'amr',
    'at_hash',
    'email',
    'email_verified',
    'name',
    'given_name',
    'family_name',
    'preferred_username',
    'picture',
  ],
  acr_values_supported: ['phr', '1'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  authorization_response_iss_parameter_supported: true,
  claims_parameter_supported: true,
  request_parameter_supported: false,
  // When this one is absent, its value is true.
  request_uri_parameter_supported: false,
  service_documentation: `${baseUrl}/docs`,
})

const tags = ['Discovery']
const Document = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })

/** Server metadata and signing keys. The texts are prepared once. */
export const discoveryRoutes =
  ({ config, signingKeys }: Services): Routes =>
  async (app) => {
    const discovery = prepared(JSON.stringify(metadata(config)))
    let keys = prepared(signingKeys.jwks())

    for (const url of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      app.get(url, { schema: { tags, summary: 'Server metadata', response: { 200: Document } } }, (request, reply) =>
        answer(request, reply, discovery),
      )
    }
    for (const url of ['/.well-known/jwks.json', '/.well-known/jwks']) {
      app.get(url, { schema: { tags, summary: 'Signing keys', response: { 200: Document } } }, (request, reply) => {
        if (keys.text !== signingKeys.jwks()) keys = prepared(signingKeys.jwks())
        answer(request, reply, keys)
      })
    }
  }

interface Prepared {
  text: string
  etag: string
}

const prepared = (text: string): Prepared => ({ text, etag: `"${digest(text)}"` })

function answer(request: FastifyRequest, reply: FastifyReply, { text, etag }: Prepared): void {
  reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8')
  sendTagged(request, reply, etag, text)
}
