import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { AppError } from '../../errors.ts'
import { newId } from '../ids.ts'
import { MAX_DRAIN_BYTES, MAX_DRAIN_MS } from './drain-body.ts'
import { latchkeyFormat } from './errors.ts'

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
        ? new AppError('headers_too_large', 'The headers are too large.')
        : problem.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? new AppError('request_timeout', 'The request took too long to arrive.')
          : new AppError('malformed_body', 'This is not a valid HTTP request.')
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
