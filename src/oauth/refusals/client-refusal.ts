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

/** A redirect URL without what an application may have put into its query, and without user and password. */
export const withoutQuery = (uri: string): string => uri.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')
