import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { AppError, type ErrorCode, type OAuthErrorCode } from '../../errors.ts'
import { isUnavailable } from '../../storage/failure.ts'
import { newId } from '../ids.ts'
import { exposeErrorHeaders } from './cors.ts'
import { levelOf } from './log.ts'
import { requestErrors } from './request-errors.ts'
import { validationError } from './validation-issues.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The code of the error, for the metrics. */
    errorCode: ErrorCode | null
  }
}

/** The body of an error. OAuth endpoints use the format of RFC 6749, all others our own. */
export type ErrorFormat = (error: AppError) => Record<string, unknown>

export const latchkeyFormat: ErrorFormat = (error) =>
  // The specification prescribes this body exactly, without a code.
  error.code === 'account_disabled'
    ? { error: error.message }
    : {
        error: error.message,
        code: error.code,
        ...(error.reason === undefined ? {} : { reason: error.reason }),
        ...(error.values ? { values: error.values } : {}),
        ...(error.issues ? { issues: error.issues } : {}),
        ...(error.methods ? { methods: error.methods } : {}),
        ...(error.acr ? { acr: error.acr } : {}),
      }

const OAUTH_CODES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  invalid_client: 'invalid_client',
  invalid_grant: 'invalid_grant',
  unauthorized_client: 'unauthorized_client',
  unsupported_grant_type: 'unsupported_grant_type',
  invalid_scope: 'invalid_scope',
  invalid_access_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
  authorization_pending: 'authorization_pending',
  slow_down: 'slow_down',
  access_denied: 'access_denied',
  expired_token: 'expired_token',
  unavailable: 'temporarily_unavailable',
  too_many_requests: 'temporarily_unavailable',
  internal_error: 'server_error',
}

/** RFC 6749 §5.2 allows printable ASCII without quote and backslash in a description. */
export const asDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')

export const oauthFormat: ErrorFormat = (error) => ({
  error: OAUTH_CODES[error.code] ?? 'invalid_request',
  error_description: asDescription(error.message),
})

/** Sends the error in the format of its endpoint. The details of an unexpected one are logged and not sent. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  format: ErrorFormat,
): FastifyReply {
  const error = toAppError(thrown)
  reply.errorCode = error.code
  if (error.status >= 500) {
    const message = error.code === 'internal_error' ? 'A request failed.' : reasonOf(thrown)
    request.log[levelOf(error.status)]({ requestId: request.id, err: thrown }, message)
  }
  exposeErrorHeaders(reply)
  if (error.challenge !== undefined) void reply.header('www-authenticate', error.challenge)
  if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
  void reply.code(error.status).header('cache-control', 'no-store').type('application/json; charset=utf-8')
  return sendThenDrain(request, reply, JSON.stringify(format(error)))
}

/** The database is one reason of several: password hashing can be too busy, for example. The error itself says which. */
function reasonOf(thrown: unknown): string {
  const isDatabase = isUnavailable(thrown) || (thrown instanceof Error && isUnavailable(thrown.cause))
  return isDatabase ? 'The database is unavailable.' : 'A request was refused with 503.'
}

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (isUnavailable(thrown)) {
    return requestErrors.briefly_unavailable({ retryAfter: 2, cause: thrown })
  }
  if (thrown instanceof Error) {
    const { validation, validationContext, statusCode, code } = thrown as Partial<FastifyError>
    if (validation) return validationError(validation, partOf(validationContext))
    if (statusCode !== undefined && statusCode < 500) return frameworkError(statusCode, code ?? '')
  }
  return requestErrors.internal_error({ cause: thrown })
}

const partOf = (context = 'body'): string => (context === 'querystring' ? 'query' : context)

/** Fastify's own errors, most of them about bodies. */
function frameworkError(status: number, code: string): AppError {
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return requestErrors.body_empty()
  switch (status) {
    case 404:
      return requestErrors.nothing_here()
    case 413:
      return requestErrors.body_too_large()
    case 414:
      return requestErrors.uri_too_long()
    case 415:
      return requestErrors.media_type_not_accepted()
    default:
      return requestErrors.request_malformed()
  }
}

/** For how long, and how much, a client may continue to send after its answer. */
const MAX_DRAIN_MS = 3000
const MAX_DRAIN_BYTES = 16 * 1024 * 1024

/**
 * Sends an answer to a request whose body may still be on its way. Closing a connection with bytes unread makes the system reset
 * it, and a client that was still writing loses the answer before it has read it (RFC 9112 section 9.6). So the whole answer
 * is sent at once, and the connection is closed after the rest of the body was read and discarded.
 */
export function sendThenDrain({ raw }: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  // Undefined where there is no connection, as in tests.
  const isComplete = raw.complete as boolean | undefined
  if (isComplete !== false) return reply.send(text)
  return reply
    .header('connection', 'close')
    .header('content-length', Buffer.byteLength(text))
    .send(withLateEnd(text, raw))
}

/** The text, and its end when the request is over or has been read for long enough. */
function withLateEnd(text: string, request: IncomingMessage): Readable {
  const answer = new Readable({ read() {} })
  answer.push(text)
  let left = MAX_DRAIN_BYTES
  const count = (chunk: Buffer): void => {
    left -= chunk.length
    if (left <= 0) end()
  }
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', count).off('end', end).off('close', end)
    answer.push(null)
  }
  const timer = setTimeout(end, MAX_DRAIN_MS)
  // Detached from whatever read it before.
  request.unpipe()
  request.on('end', end).on('close', end).on('data', count).resume()
  return answer
}

/** Answers bytes that are no valid HTTP request, and headers that never end. No hook runs for these. */
export function answerClientErrors(headers: Record<string, string>, log: Logger) {
  /** Connections that were answered, and up to how many bytes they are drained. */
  const answered = new WeakMap<Socket, number>()

  return (problem: Error & { code?: string }, socket: Socket): void => {
    // The client closed the connection.
    if (problem.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // Further bytes of the client make the parser fail again.
    const drainUpTo = answered.get(socket)
    if (drainUpTo !== undefined) {
      if (socket.bytesRead > drainUpTo) socket.destroy()
      return
    }
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const error =
      problem.code === 'HPE_HEADER_OVERFLOW'
        ? requestErrors.headers_too_large()
        : problem.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? requestErrors.request_too_slow()
          : requestErrors.not_http()
    const requestId = newId()
    log.info({ requestId, status: error.status, problem: problem.code }, 'request refused')
    const body = JSON.stringify(latchkeyFormat(error))
    const lines = Object.entries({
      ...headers,
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${error.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    answered.set(socket, socket.bytesRead + MAX_DRAIN_BYTES)
    const timer = setTimeout(() => socket.destroy(), MAX_DRAIN_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
