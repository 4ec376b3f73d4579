import type { ErrorCode } from '../../errors.ts'
import { DiagnosedError } from './client-refusal.ts'

/** How secrets, codes and tokens of this service begin. */
export const SECRET_PREFIX = /^(?:cs|ac|at|rt|dc|ap|pr)_/

/** A request with a client_id that no client has. */
export const unknownClient = (
  code: ErrorCode,
  description: string,
  { clientId, sent }: { clientId: string; sent?: string | undefined },
): DiagnosedError =>
  new DiagnosedError(code, description, {
    hint: SECRET_PREFIX.test(clientId)
      ? 'The application sends a secret as its client_id. Enter the client_id and the secret each in its own place, and make a new secret.'
      : 'No application has this client_id. Compare it with the list of applications; it may have been deleted, or belong to another installation.',
    sent,
  })
