import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Push {
  url: string
  method: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server that takes security events, and answers as the test wants. */
export async function startPushReceiver(t: { after(cleanUp: () => Promise<void>): void }) {
  const pushes: Push[] = []
  let status = 202
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      pushes.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers, body })
      response.writeHead(status).end(status === 400 ? '{"err":"invalid_key","description":"Not ours"}' : '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    pushes,
    origin: `http://127.0.0.1:${port}`,
    answerWith: (next: number) => void (status = next),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
