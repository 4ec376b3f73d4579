import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { MAX_DRAIN_BYTES, MAX_DRAIN_MS } from './drain-body.ts'
import { latchkeyDialect } from './errors.ts'

/** Answers what never became a request: bytes that are no HTTP, headers without an end. No hook runs there. */
export function answerClientErrors(headers: Record<string, string>, log: Logger) {
  /** Up to which number of bytes a connection that was answered is read on. */
  const answered = new WeakMap<Socket, number>()

  return (problem: Error & { code?: string }, socket: Socket): void => {
    // Whoever hung up hears nothing more.
    if (problem.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // Whatever else the client sends makes the parser fail again.
    const readUpTo = answered.get(socket)
    if (readUpTo !== undefined) {
      if (socket.bytesRead > readUpTo) socket.destroy()
      return
    }
    if (!socket.writable) {
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
    answered.set(socket, socket.bytesRead + MAX_DRAIN_BYTES)
    const timer = setTimeout(() => socket.destroy(), MAX_DRAIN_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
