import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** What arrived, in the order in which it did. */
export interface Arrival {
  id: string
  sequence: number
  type: string
  person: string
  at: number
}

/** How the receiver treats a request, when it has read it. */
export type Treatment = 'accept' | 'fail' | 'hang' | 'close'

interface Receiver {
  url: string
  arrivals: Arrival[]
  /** Set by the test. */
  treat: () => Treatment
  secret: string
  forged: number
}

/** A webhook receiver that checks the signature of what it gets. */
export async function startWebhookReceiver(t: Pick<TestContext, 'after'>): Promise<Receiver> {
  const receiver: Receiver = { url: '', arrivals: [], treat: () => 'accept', secret: '', forged: 0 }
  const hanging = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signature } = request.headers
      const key = Buffer.from(receiver.secret.replace('whsec_', ''), 'base64')
      const expected = createHmac('sha256', key)
        .update(`${String(id)}.${String(time)}.${body}`)
        .digest('base64')
      if (signature !== `v1,${expected}`) receiver.forged++
      const { sequence, type, data } = JSON.parse(body) as {
        sequence: number
        type: string
        data: { targetId: string }
      }
      receiver.arrivals.push({ id: String(id), sequence, type, person: data.targetId, at: performance.now() })
      const treatment = receiver.treat()
      if (treatment === 'accept') return response.writeHead(204).end()
      if (treatment === 'fail') return response.writeHead(500).end('not now')
      if (treatment === 'close') return request.socket.destroy()
      return hanging.add(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
