import { Type } from 'typebox'
import { OAuthErrorBody } from '../../platform/http/contracts.ts'
import type { Parameters } from './parameters.ts'

/** Protocol endpoints ignore what they don't know (RFC 6749 section 3.2), so their forms are open. */
export const Parameter = (description: string) => Type.Optional(Type.String({ description, maxLength: 64 * 1024 }))

/** Documented but not validated by the schema: where a wrong value is answered depends on the other parameters. */
export const describeParameters = (parameters: Record<string, string>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(parameters).map(([name, description]) => [
        name,
        Type.Optional(Type.Unsafe<unknown>({ description })),
      ]),
    ),
  )

/** An authorization request, OpenID Connect Core 3.1.2.1. */
export const AUTHORIZATION_PARAMETERS = {
  response_type: 'code',
  client_id: 'The application.',
  redirect_uri: 'One of the URLs that the application has registered.',
  scope: 'Scopes, separated by spaces.',
  state: 'Returned unchanged.',
  code_challenge: 'BASE64URL(SHA256(code_verifier)).',
  code_challenge_method: 'S256',
  nonce: 'Copied into the ID token.',
  prompt: 'none, login, consent, select_account.',
  max_age: 'The maximum number of seconds since the user signed in.',
  login_hint: 'A hint about the email address that the user will sign in with.',
  id_token_hint: 'An ID token of the user that the request is about.',
  claims: 'Claims requested by name, OpenID Connect Core 5.5.',
  response_mode: 'query, fragment or form_post.',
  acr_values: 'Authentication methods that the application would like.',
  display: 'How the application would like the pages to be displayed.',
  ui_locales: 'Languages that the user prefers.',
  pending_request: 'Set by this server when it sends the browser here again.',
}

/** Drops unknown parameters, so that they are not carried along while a person signs in and decides. */
export const pickKnown = (known: Record<string, string>, values: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name !== 'pending_request' && Object.hasOwn(known, name)),
  )

/** OpenID Connect RP-Initiated Logout 1.0 section 2. */
export const LOGOUT_PARAMETERS = {
  id_token_hint: 'An ID token that was issued to the application.',
  client_id: 'The application.',
  post_logout_redirect_uri: 'One of the URLs that the application has registered for this.',
  state: 'Returned unchanged.',
}

const REASONS = {
  400: 'The request is malformed, or the grant, scope or token is not acceptable.',
  401: 'The client is not authenticated, or the token is not valid.',
  403: 'The token does not have the scope for this.',
  415: 'Wrong media type.',
  429: 'Too many failed attempts; Retry-After says how long to wait.',
  503: 'The database is unavailable; try again shortly.',
} as const

type Status = keyof typeof REASONS

/** The error answers of a protocol endpoint, for its contract. */
export const oauthFailures = <S extends Status>(...statuses: S[]): Record<S, typeof OAuthErrorBody> =>
  Object.fromEntries(
    statuses.map((status) => [status, { ...OAuthErrorBody, description: REASONS[status] }]),
  ) as unknown as Record<S, typeof OAuthErrorBody>

export const ClientCredentials = {
  client_id: Parameter('The client, unless it authenticates in the Authorization header.'),
  client_secret: Parameter('For confidential clients, unless in the Authorization header.'),
}

export const consumes = ['application/x-www-form-urlencoded']

/** A confidential client authenticates; a public one only sends its client_id. */
export const clientSecurity = [{ client: [] }, {}]
