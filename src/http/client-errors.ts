import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { latchkeyDialect } from './errors.ts'

/** Answers what never became a request: bytes that are no HTTP, headers without an end. No hook runs there. */
export const answerClientErrors =
  (headers: Record<string, string>, log: Logger) =>
  (problem: Error & { code?: string }, socket: Socket): void => {
    // Whoever hung up hears nothing more.
    if (problem.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const error =
      problem.code === 'HPE_HEADER_OVERFLOW'
        ? new AppError('headers_too_large', 'The headers are too large.')
        : problem.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? new AppError('request_timeout', 'The request took too long to arrive.')
          : new AppError('malformed_body', 'This is not a valid HTTP request.')
    const requestId = newId()
    log.info({ requestId, status: error.status, problem: problem.code }, 'request refused')
    const body = JSON.stringify(latchkeyDialect(error))
    const lines = Object.entries({
      ...headers,
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${error.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  }
