import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** For how long, and how much, a client may continue to send after its answer. */
export const MAX_DRAIN_MS = 3000
export const MAX_DRAIN_BYTES = 16 * 1024 * 1024

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
