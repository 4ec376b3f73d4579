import { fillSentence, type NamesIn, type Values } from './vocabulary/fill-sentence.ts'
import type { Acr, Proof } from './vocabulary/sign-in-methods.ts'

/** The code of every error, for programs, and its HTTP status. Several reasons share a code. */
const STATUS = {
  invalid_input: 400,
  malformed_body: 400,
  wrong_password: 400,
  wrong_code: 400,
  invalid_token: 400,
  weak_password: 400,
  reserved_scope: 400,
  unauthenticated: 401,
  wrong_credentials: 401,
  passkey_refused: 401,
  wrong_proof: 401,
  second_step_needed: 401,
  forbidden: 403,
  not_allowed: 403,
  own_access: 403,
  foreign_origin: 403,
  account_disabled: 403,
  registration_closed: 403,
  wrong_secret: 403,
  fresh_sign_in_needed: 403,
  step_up_needed: 403,
  setup_needed: 403,
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
  not_complete: 409,
  other_user: 409,
  host_taken: 409,
  address_not_allowed: 409,
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
  reason?: string
  values?: Values
}

interface Details {
  reason?: string
  /** Instead of the code's own, where a standard prescribes it. */
  status?: number
  values?: Values
  issues?: Issue[]
  /** Seconds to wait, for 429 and 503. */
  retryAfter?: number
  /** How to authenticate instead: the value of WWW-Authenticate. */
  challenge?: string
  /** With what the person can prove who they are. */
  methods?: Proof[]
  /** How strong the sign-in has to be. */
  acr?: Acr
  cause?: unknown
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** What went wrong, more precisely than the code. Programs that speak other languages have a sentence for each. */
  readonly reason: string | undefined
  /** What the sentence mentions. */
  readonly values: Values | undefined
  readonly issues: Issue[] | undefined
  readonly retryAfter: number | undefined
  readonly challenge: string | undefined
  readonly methods: Proof[] | undefined
  readonly acr: Acr | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status ?? STATUS[code]
    this.reason = details.reason
    this.values = details.values
    this.issues = details.issues
    this.retryAfter = details.retryAfter
    this.challenge = details.challenge
    this.methods = details.methods
    this.acr = details.acr
  }
}

type Entry = readonly [code: ErrorCode, sentence: string]
type Arguments<Sentence extends string> = [NamesIn<Sentence>] extends [never]
  ? [details?: Details]
  : [values: Readonly<Record<NamesIn<Sentence>, string | number>>, details?: Details]

/** Makes an error of one reason. */
export interface ErrorOf<Sentence extends string> {
  (...given: Arguments<Sentence>): AppError
  readonly code: ErrorCode
  readonly sentence: Sentence
}
type Errors<Table extends Record<string, Entry>> = { readonly [Reason in keyof Table]: ErrorOf<Table[Reason][1]> }

/**
 * The errors of one feature: for each reason its code, and its sentence in English. `{name}` stands for a value of that name.
 *
 *   const passkeyErrors = defineErrors({ too_many_passkeys: ['conflict', 'An account has at most {max} passkeys.'] })
 *   throw passkeyErrors.too_many_passkeys({ max: 20 })
 *
 * `error-reasons.ts` lists all tables; the dashboard has the sentences of other languages.
 */
export function defineErrors<const Table extends Record<string, Entry>>(table: Table): Errors<Table> {
  const errors = Object.entries(table).map(([reason, [code, sentence]]) => {
    const hasValues = sentence.includes('{')
    const make = (...given: [Values & Details, Details?] | [Details?]) => {
      const [values, details] = hasValues ? (given as [Values, Details?]) : [undefined, given[0]]
      const message = values ? fillSentence(sentence, values, sayDuration) : sentence
      return new AppError(code, message, { ...details, reason, ...(values ? { values } : {}) })
    }
    return [reason, Object.assign(make, { code, sentence })]
  })
  return Object.fromEntries(errors) as Errors<Table>
}

const sayDuration = (seconds: number): string =>
  seconds === 1 ? '1 second' : seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`

/** Throws in the place of an expression: `(await findRole(db, id)) ?? refuse(roleErrors.no_such_role())`. */
export function refuse(error: AppError): never {
  throw error
}

/** The same error, about one field of the request, in the shape that validation gives. */
export function atField(path: string, { code, status, message, reason, values, retryAfter }: AppError): AppError {
  const about = { ...(reason === undefined ? {} : { reason }), ...(values ? { values } : {}) }
  const wait = retryAfter === undefined ? {} : { retryAfter }
  return new AppError(code, message, { ...about, ...wait, status, issues: [{ path, message, ...about }] })
}

/** The service can't start. The message is the one line that the person at the terminal sees. */
export class StartError extends Error {}
