import type { ErrorCode } from '../../errors.ts'
import { TOKEN_PREFIXES } from '../../platform/crypto/digest.ts'
import { DiagnosedError } from './client-refusal.ts'

const PREFIX = `(?:${TOKEN_PREFIXES.join('|')})`
/** A prefix where a word begins, or one that the 43 characters of a whole secret follow. */
const SECRET = new RegExp(`(?<![A-Za-z0-9])${PREFIX}|${PREFIX}(?=[A-Za-z0-9_-]{43})`)

/** How a secret, code or token begins that is anywhere in this text; undefined when there is none. */
export const prefixOfSecret = (text: string): string | undefined => SECRET.exec(text)?.[0]

/** A request with a client_id that no client has. */
export const unknownClient = (
  code: ErrorCode,
  description: string,
  { clientId, sent }: { clientId: string; sent?: string | undefined },
): DiagnosedError =>
  new DiagnosedError(code, description, {
    hint: prefixOfSecret(clientId)
      ? 'The application sends a secret as its client_id. Enter the client_id and the secret each in its own place, and make a new secret.'
      : 'No application has this client_id. Compare it with the list of applications; it may have been deleted, or belong to another installation.',
    sent,
  })
