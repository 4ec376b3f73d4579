import { AppError, type ErrorCode } from '../../errors.ts'

/** What helps the administrators of an application to find out why a request was refused. */
export interface Diagnosis {
  /** One sentence on what to change. */
  hint: string
  /** What the request had, and what it should have had. Never a secret. */
  sent?: string | undefined
  expected?: string | undefined
}

/** A refusal with its diagnosis, for the record of the client that it is about. */
export class DiagnosedError extends AppError {
  readonly diagnosis: Diagnosis

  constructor(code: ErrorCode, message: string, diagnosis: Diagnosis) {
    super(code, message)
    this.diagnosis = diagnosis
  }
}

/** The same, where the client is known only to the code that refuses. */
export class ClientRefusal extends DiagnosedError {
  readonly clientId: string

  constructor(clientId: string, code: ErrorCode, message: string, diagnosis: Diagnosis) {
    super(code, message, diagnosis)
    this.clientId = clientId
  }

  /** The error code that the application or its user saw. */
  get shownError(): string {
    return this.code
  }
}

/** A scope that goes beyond what is allowed, with the scopes that are too many and those that are allowed. */
export const scopeRefused = (
  description: string,
  {
    requested,
    allowed,
    hint = ALLOW_SCOPES,
  }: { requested: string | undefined; allowed: readonly string[]; hint?: string },
): DiagnosedError =>
  new DiagnosedError('invalid_scope', description, {
    hint,
    sent: scopesBeyond(requested, allowed),
    expected: allowed.join(' '),
  })

export const ALLOW_SCOPES = 'Allow these scopes here, or take them out of the settings of the application.'

/** The scopes of a request that are not among the allowed ones. */
export function scopesBeyond(requested: string | undefined, allowed: readonly string[]): string {
  const scopes = (requested ?? '').split(' ').filter((scope) => scope !== '')
  return scopes.length === 0 ? 'no scope' : scopes.filter((scope) => !allowed.includes(scope)).join(' ')
}

/** A redirect URL without what an application may have put into its query, and without user and password. */
export const withoutQuery = (uri: string): string => uri.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')
