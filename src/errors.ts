/**
 * Every refusal of the service, in one table: its code for programs, and its HTTP status. The sentence for a person is
 * written where the refusal happens, because only that code knows what the person can do next.
 */
const STATUS = {
  invalid_input: 400,
  malformed_body: 400,
  wrong_password: 400,
  invalid_token: 400,
  weak_password: 400,
  reserved_scope: 400,
  unauthenticated: 401,
  wrong_credentials: 401,
  passkey_refused: 401,
  forbidden: 403,
  not_allowed: 403,
  own_access: 403,
  foreign_origin: 403,
  account_disabled: 403,
  registration_closed: 403,
  wrong_secret: 403,
  fresh_sign_in_needed: 403,
  email_domain: 403,
  email_unconfirmed: 403,
  proxy_not_trusted: 403,
  https_required: 403,
  address_refused: 403,
  unknown_host: 403,
  application_off: 403,
  sign_in_failed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  other_user: 409,
  host_taken: 409,
  username_held: 409,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  too_many_requests: 429,
  too_many_changes: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  // RFC 6749 section 5.2 and RFC 6750 section 3.1; only their endpoints use these.
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_access_token: 401,
  insufficient_scope: 403,
  // RFC 8628 section 3.5.
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
} as const

export type ErrorCode = keyof typeof STATUS
export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[]

/** The codes that the OAuth endpoints use instead (RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750 section 3.1, RFC 8628 section 3.5). */
export const OAUTH_ERROR_CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_token',
  'insufficient_scope',
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'temporarily_unavailable',
  'server_error',
] as const
export type OAuthErrorCode = (typeof OAUTH_ERROR_CODES)[number]

/** What makes a password easy to guess. */
export const WEAK_REASONS = ['common', 'personal', 'word', 'keyboard', 'repeat', 'sequence', 'date', 'simple'] as const
export type WeakReason = (typeof WEAK_REASONS)[number]

export interface Issue {
  path: string
  message: string
  /** Of a weak password. */
  reason?: WeakReason
}

interface Details {
  issues?: Issue[]
  /** Seconds to wait, for 429 and 503. */
  retryAfter?: number
  /** How to authenticate instead: the value of WWW-Authenticate. */
  challenge?: string
  cause?: unknown
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly issues: Issue[] | undefined
  readonly retryAfter: number | undefined
  readonly challenge: string | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = STATUS[code]
    this.issues = details.issues
    this.retryAfter = details.retryAfter
    this.challenge = details.challenge
  }
}

export function refuse(code: ErrorCode, message: string, details?: Details): never {
  throw new AppError(code, message, details)
}

/** A refusal that names the field it is about, in the shape that schema validation gives. */
export function refuseField(path: string, message: string, code: ErrorCode = 'invalid_input'): never {
  throw new AppError(code, message, { issues: [{ path, message }] })
}

/** The service can't start. The message is the one line that the person at the terminal sees. */
export class StartError extends Error {}
