import { AppError } from '../../errors.ts'
import { asDescription } from '../../platform/http/errors.ts'
import type { ClaimsRequest } from '../claims/claims-request.ts'
import type { KnownClient } from '../clients/client.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { ClientError, DEFAULT_HINTS, type Diagnosis, reasonOf } from '../problems/diagnosed-error.ts'
import { AUTHORIZATION_PARAMETERS, pickKnown } from '../protocol/contracts.ts'
import type { Parameters } from '../protocol/parameters.ts'

/** OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0 Form Post Response Mode. */
export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** Where the answer to an authorization request goes, and how. */
export interface ResponseTarget {
  issuer: string
  redirectUri: string
  state: string | undefined
  responseMode: ResponseMode
}

/** What the browser does next: it follows a redirect, or sends a form. */
export type NextStep = { redirectTo: string } | FormPost

export interface FormPost {
  postTo: string
  fields: Record<string, string>
}

/** Answers an authorization request, with a code or with an error (RFC 6749 section 4.1.2, RFC 9207). */
export function respond(
  { issuer, redirectUri, state, responseMode }: ResponseTarget,
  answer: Record<string, string>,
): NextStep {
  const fields = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer }
  if (responseMode === 'form_post') return { postTo: redirectUri, fields }
  // A registered redirect URL has no fragment of its own.
  if (responseMode === 'fragment') return { redirectTo: `${redirectUri}#${new URLSearchParams(fields).toString()}` }
  return { redirectTo: withQuery(redirectUri, fields) }
}

/** An authorization request that has passed every check. */
export interface AuthorizationRequest extends ResponseTarget {
  client: KnownClient
  scopes: string[]
  /** Undefined for a client that need not use PKCE, and has not. */
  codeChallenge: string | undefined
  nonce: string | undefined
  prompts: ReadonlySet<string>
  /** The maximum number of seconds since the user signed in. */
  maxAge: number | undefined
  /** The id of the user whom the application expects (OpenID Connect Core 3.1.2.1). */
  hintedUser: string | undefined
  claims: ClaimsRequest
  /** Strengths of the sign-in that the application would like. One of them, or a stronger one, is enough. */
  acrValues: string[]
  /** What the user must have granted: the scopes, and the scopes of claims that are requested by name. */
  consentScopes: string[]
  /** As received, also unknown ones. */
  parameters: Parameters
}

/** The parameters to repeat the request with, after the user has signed in or consented. */
export const knownParameters = ({ parameters }: Pick<AuthorizationRequest, 'parameters'>): Parameters =>
  pickKnown(AUTHORIZATION_PARAMETERS, parameters)

/** An error that is reported to the application (RFC 6749 section 4.1.2.1). */
export class RedirectedError extends ClientError {
  readonly nextStep: NextStep
  readonly error: AuthorizationError

  constructor(
    request: ResponseTarget & Pick<AuthorizationRequest, 'client'>,
    error: AuthorizationError,
    problem: AppError,
    diagnosis: Diagnosis = { hint: DEFAULT_HINTS[error] ?? '' },
  ) {
    // The code is for the pages of the dashboard; applications are told the error.
    const code = request.client.disabled ? 'application_off' : 'invalid_request'
    super(request.client.client_id, new AppError(code, problem.message, reasonOf(problem)), diagnosis)
    this.error = error
    this.nextStep = respond(request, { error, error_description: asDescription(problem.message) })
  }

  override get shownError(): string {
    return this.error
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
