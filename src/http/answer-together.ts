import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { collect } from '../collect.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that arrive in one turn of the event loop are taken up together, and so their answers go out together. */
export function answerTogether(server: Server): void {
  const handlers = server.listeners('request') as Handler[]
  server.removeAllListeners('request')
  const arrived = collect<[IncomingMessage, ServerResponse]>((requests) => {
    for (const [request, response] of requests) for (const handle of handlers) handle(request, response)
  })
  server.on('request', (request, response) => arrived([request, response]))
}
