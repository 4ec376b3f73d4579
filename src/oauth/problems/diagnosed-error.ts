import { AppError } from '../../errors.ts'
import { TOKEN_PREFIXES } from '../../platform/crypto/digest.ts'

/** What helps the administrators of an application to find out why a request was refused. */
export interface Diagnosis {
  /** One sentence on what to change. */
  hint: string
  /** What the request had, and what it should have had. Never a secret. */
  sent?: string | undefined
  expected?: string | undefined
}

/** An error with its diagnosis, for the list of the client that it is about. */
export class DiagnosedError extends AppError {
  readonly diagnosis: Diagnosis

  constructor(error: AppError, diagnosis: Diagnosis) {
    super(error.code, error.message, reasonOf(error))
    this.diagnosis = diagnosis
  }
}

/** The reason of an error, for another error with the same one. */
export const reasonOf = ({ reason, values }: AppError) => ({
  ...(reason === undefined ? {} : { reason }),
  ...(values ? { values } : {}),
})

/** The same, where the client is known only to the code that refuses. */
export class ClientError extends DiagnosedError {
  readonly clientId: string

  constructor(clientId: string, error: AppError, diagnosis: Diagnosis) {
    super(error, diagnosis)
    this.clientId = clientId
  }

  /** The error code that the application or its user saw. */
  get shownError(): string {
    return this.code
  }
}

/** A redirect URL without what an application may have put into its query, and without user and password. */
export const withoutQuery = (uri: string): string => uri.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')

export const TURN_ON = 'Turn the application on again if people should use it.'

/** What to check first, for errors without a diagnosis of their own. */
export const DEFAULT_HINTS: Record<string, string | undefined> = {
  access_denied: 'The person decided against it. Nothing has to be changed.',
  consent_required: 'The application asked with prompt=none before the person had consented; let it ask without.',
  invalid_client: 'Compare client_id and secret in the settings of the application with the ones here.',
  invalid_grant: 'The code or refresh token was used, expired or revoked; the person has to sign in again.',
  invalid_request: 'A parameter is missing or wrong; the description says which.',
  invalid_scope: 'Allow the scope here, or take it out of the settings of the application.',
  login_required: 'The application asked with prompt=none, and nobody suitable was signed in; let it ask without.',
  temporarily_unavailable: 'Too many wrong secrets came from one address; correct the secret and wait a moment.',
  unauthorized_client: 'Allow the grant type here, or choose another one in the application.',
  unsupported_grant_type: 'The application uses a grant type that this server does not have.',
  unsupported_response_type: 'Set the response type of the application to code.',
}

const PREFIX = `(?:${TOKEN_PREFIXES.join('|')})`
/** A prefix where a word begins, or one that the 43 characters of a whole secret follow. */
const SECRET = new RegExp(`(?<![A-Za-z0-9])${PREFIX}|${PREFIX}(?=[A-Za-z0-9_-]{43})`)

/** How a secret, code or token begins that is anywhere in this text; undefined when there is none. */
export const prefixOfSecret = (text: string): string | undefined => SECRET.exec(text)?.[0]

/** A request with a client_id that no client has. */
export const unknownClient = (
  error: AppError,
  { clientId, sent }: { clientId: string; sent?: string | undefined },
): DiagnosedError =>
  new DiagnosedError(error, {
    hint: prefixOfSecret(clientId)
      ? 'The application sends a secret as its client_id. Enter the client_id and the secret each in its own place, and make a new secret.'
      : 'No application has this client_id. Compare it with the list of applications; it may have been deleted, or belong to another installation.',
    sent,
  })
