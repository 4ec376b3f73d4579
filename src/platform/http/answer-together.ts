import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { collectPerTick } from '../../batches.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Handles the requests of one tick of the event loop together at its end, so that their reads and writes share batches. */
export function answerTogether(server: Server): void {
  const handlers = server.listeners('request') as Handler[]
  server.removeAllListeners('request')
  const arrived = collectPerTick<[IncomingMessage, ServerResponse]>((requests) => {
    for (const [request, response] of requests) for (const handle of handlers) handle(request, response)
  })
  server.on('request', (request, response) => arrived([request, response]))
}
