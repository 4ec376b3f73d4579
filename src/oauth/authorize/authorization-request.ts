import { AppError } from '../../errors.ts'
import { asDescription } from '../../http/errors.ts'
import type { KnownClient } from '../clients/client.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { AUTHORIZATION_PARAMETERS, pickKnown } from '../contracts.ts'
import type { Parameters } from '../parameters.ts'
import type { ClaimsRequest } from './claims-request.ts'

/** An authorization request that has passed every check. */
export interface AuthorizationRequest {
  issuer: string
  client: KnownClient
  redirectUri: string
  state: string | undefined
  scopes: string[]
  codeChallenge: string
  nonce: string | undefined
  prompts: ReadonlySet<string>
  /** The maximum number of seconds since the user signed in. */
  maxAge: number | undefined
  /** The id of the user whom the application expects (OpenID Connect Core 3.1.2.1). */
  hintedUser: string | undefined
  claims: ClaimsRequest
  /** What the user must have granted: the scopes, and the scopes of claims that are requested by name. */
  consentScopes: string[]
  /** As received, also unknown ones. */
  parameters: Parameters
}

/** The parameters to repeat the request with, after the user has signed in or consented. */
export const knownParameters = ({ parameters }: Pick<AuthorizationRequest, 'parameters'>): Parameters =>
  pickKnown(AUTHORIZATION_PARAMETERS, parameters)

/** A refusal that is reported to the application by a redirect (RFC 6749 section 4.1.2.1). */
export class RedirectedRefusal extends AppError {
  readonly redirectTo: string

  constructor(
    { issuer, redirectUri, state }: Pick<AuthorizationRequest, 'issuer' | 'redirectUri' | 'state'>,
    error: AuthorizationError,
    description: string,
  ) {
    super('invalid_request', description)
    const query = { error, error_description: asDescription(description), state, iss: issuer }
    this.redirectTo = withQuery(redirectUri, query)
  }
}

type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'request_uri_not_supported'
