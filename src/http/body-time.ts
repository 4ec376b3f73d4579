import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** How long a small body may take. Uploads have the time of the whole request. */
export const MAX_BODY_MS = 10_000

/**
 * Ends requests whose body does not arrive in time: a guard has let them in, and the client must not decide for how long
 * that counts. One timer looks at all of them, because most bodies are there before it would have been set.
 */
export function limitBodyTime(app: FastifyInstance, maxBodyMs: number = MAX_BODY_MS): void {
  const waiting = new Map<FastifyRequest, number>()
  const look = () => {
    const oldest = performance.now() - maxBodyMs
    for (const [request, since] of waiting) {
      // They stand in the order in which they came.
      if (since > oldest) break
      waiting.delete(request)
      // Nobody listens any more when the request was refused or given up meanwhile.
      if (request.raw.complete || request.raw.listenerCount('error') === 0) continue
      request.raw.emit('error', new AppError('request_timeout', 'The body took too long to arrive.'))
    }
  }
  const timer = setInterval(look, maxBodyMs / 10).unref()
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

/** A route that reads its body itself, such as an upload, has nobody who hears of the end. */
function hasSmallBody({ headers, raw }: FastifyRequest): boolean {
  if (raw.complete || headers['content-type']?.startsWith('multipart/')) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
