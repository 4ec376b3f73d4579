/** What kept an attempt from getting an answer. */
export type FailureKind =
  | 'address_not_allowed'
  | 'bad_request'
  | 'lookup'
  | 'connection'
  | 'tls'
  | 'protocol'
  | 'timeout'
  | 'abandoned'

/** No answer came. The message is short, printable, and has nothing of the URL and of what the other side sent. */
export class OutgoingError extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

export const notAllowed = (): OutgoingError =>
  new OutgoingError('address_not_allowed', 'The host has no address that is public or allowed by OUTGOING_ALLOW.')

export const closedError = (): OutgoingError => new OutgoingError(...CLOSED)

type Cause = readonly [kind: FailureKind, sentence: string]

const CLOSED: Cause = ['connection', 'The connection was closed before the answer was complete.']
const UNKNOWN_AUTHORITY: Cause = [
  'tls',
  'The certificate comes from an authority that this machine does not trust, or an intermediate certificate is missing.',
]

const CAUSES: [code: RegExp, Cause][] = [
  [/^ENOTFOUND$/, ['lookup', 'There is no host of this name.']],
  [/^(?:EAI_|ENODATA)/, ['lookup', 'The name of the host could not be looked up.']],
  [/^ETIMEOUT$/, ['lookup', 'The name servers did not answer.']],
  [/^ECONNREFUSED$/, ['connection', 'The host refused the connection.']],
  [/^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, CLOSED],
  [/^(?:EHOST|ENET)UNREACH$/, ['connection', 'There is no way to the host.']],
  [/^ETIMEDOUT$/, ['connection', 'The host did not answer.']],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, ['tls', 'The certificate is for another name.']],
  [/^CERT_HAS_EXPIRED$/, ['tls', 'The certificate has expired.']],
  [/^CERT_NOT_YET_VALID$/, ['tls', 'The certificate is not valid yet.']],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, ['tls', 'The certificate is signed by itself.']],
  [/^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF)/, UNKNOWN_AUTHORITY],
  [
    /^(?:EPROTO$|ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_)/,
    ['tls', 'The host makes no TLS connection that this machine accepts.'],
  ],
  [/^HPE_/, ['protocol', 'The answer is not valid HTTP.']],
  [
    /^ERR_(?:INVALID_|UNESCAPED_|HTTP_)/,
    ['bad_request', 'A header or the path of the request has forbidden characters.'],
  ],
]

const OTHER: Cause = ['connection', 'The connection failed.']

/** Errors of Node and of OpenSSL have a code. Their messages can quote the other side, so they are not used. */
export function describeFailure(error: unknown): OutgoingError {
  if (error instanceof OutgoingError) return error
  const code = codeOf(error)
  const [kind, sentence] = CAUSES.find(([pattern]) => pattern.test(code))?.[1] ?? OTHER
  return new OutgoingError(kind, code === '' ? sentence : `${sentence} (${code})`, error)
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code.replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, 60)
    : ''
