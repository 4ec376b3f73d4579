import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

/** How long a small body may take to arrive. Uploads have the time of the whole request. */
const MAX_BODY_MS = 10_000

/**
 * Refuses requests whose body does not arrive in time: the guard has checked the session, and the client must not decide for
 * how long that check is valid. One timer serves all requests, because most bodies arrive within one turn of the event loop.
 */
export function limitBodyTime(app: FastifyInstance, maxBodyMs: number = MAX_BODY_MS): void {
  const waiting = new Map<FastifyRequest, number>()
  const refuseLate = () => {
    const oldest = performance.now() - maxBodyMs
    for (const [request, since] of waiting) {
      // They are in the order of their arrival.
      if (since > oldest) break
      waiting.delete(request)
      // Without a listener the request was refused or aborted meanwhile.
      if (request.raw.complete || request.raw.listenerCount('error') === 0) continue
      request.raw.emit('error', new AppError('request_timeout', 'The body took too long to arrive.'))
    }
  }
  const timer = setInterval(refuseLate, maxBodyMs / 10).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasSmallBody(request)) waiting.set(request, performance.now())
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    waiting.delete(request)
    done()
  })
}

/** A route that reads its body itself, such as an upload, has no listener for the error. */
function hasSmallBody({ headers, raw }: FastifyRequest): boolean {
  if (raw.complete || headers['content-type']?.startsWith('multipart/')) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
