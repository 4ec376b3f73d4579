import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { Routes } from '../../platform/http/contracts.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import { RESPONSE_MODES } from '../authorize/authorization-request.ts'
import { GRANT_TYPES } from '../clients/grant-types.ts'
import type { Provider } from '../provider.ts'
import { SUPPORTED_SCOPES } from './scope.ts'

const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'none']

/** RFC 8414 and OpenID Connect Discovery 1.0. URLs follow from BASE_URL, never from the request. */
const metadata = ({ baseUrl }: Pick<Config, 'baseUrl'>, algorithms: readonly string[], scopes: readonly string[]) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
  userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  end_session_endpoint: `${baseUrl}/oauth/logout`,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  response_types_supported: ['code'],
  response_modes_supported: RESPONSE_MODES,
  grant_types_supported: GRANT_TYPES,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: algorithms,
  scopes_supported: [...SUPPORTED_SCOPES, ...scopes],
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
    'sid',
    'session_expiry',
    'email',
    'email_verified',
    'name',
    'given_name',
    'family_name',
    'preferred_username',
    'picture',
    ...scopes.filter((scope) => scope === 'groups'),
  ],
  acr_values_supported: ['phr', '2', '1'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  authorization_response_iss_parameter_supported: true,
  claims_parameter_supported: true,
  request_parameter_supported: false,
  // When this one is absent, its value is true.
  request_uri_parameter_supported: false,
})

const tags = ['Discovery']
const Document = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })

/** Server metadata and signing keys. The texts are prepared once, and again when something in them has changed. */
export const discoveryRoutes =
  ({ config, signingKeys, published }: Provider): Routes =>
  async (app) => {
    const documents = new Map<string, Prepared>()
    const discovery = (scopes: readonly string[]): Prepared => {
      const algorithms = signingKeys.idTokenAlgorithms()
      const key = `${algorithms.join(' ')},${scopes.join(' ')}`
      const known = documents.get(key) ?? prepared(JSON.stringify(metadata(config, algorithms, scopes)))
      documents.set(key, known)
      return known
    }
    let keys = prepared(signingKeys.jwks())

    for (const url of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      app.get(
        url,
        { schema: { tags, summary: 'Server metadata', response: { 200: Document } } },
        async (request, reply) => answer(request, reply, discovery(await published.scopes())),
      )
    }
    for (const url of ['/.well-known/jwks.json', '/.well-known/jwks']) {
      app.get(url, { schema: { tags, summary: 'Signing keys', response: { 200: Document } } }, (request, reply) => {
        if (keys.text !== signingKeys.jwks()) keys = prepared(signingKeys.jwks())
        return answer(request, reply, keys)
      })
    }
  }

interface Prepared {
  text: string
  etag: string
}

const prepared = (text: string): Prepared => ({ text, etag: `"${digest(text)}"` })

function answer(request: FastifyRequest, reply: FastifyReply, { text, etag }: Prepared): FastifyReply {
  reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8')
  return sendTagged(request, reply, etag, text)
}
