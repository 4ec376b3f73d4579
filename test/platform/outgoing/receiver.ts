import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { IssuedCertificate } from '../../support/certificate-authority.ts'

interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

interface Receiver {
  port: number
  received: Received[]
  /** How many connections were made. */
  connections: () => number
}

/** Where a server listens, instead of any port of 127.0.0.1. */
interface Place {
  host?: string | undefined
  port?: number | undefined
}

/** A server that keeps what it gets, and answers as it is told: 204 unless it is told otherwise. */
export async function startReceiver(
  t: TestContext,
  { answer, certificate, host, port }: Place & { answer?: RequestListener; certificate?: IssuedCertificate } = {},
): Promise<Receiver> {
  const received: Received[] = []
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      if (answer) answer(request, response)
      else response.writeHead(204).end()
    })
  }
  const server = certificate ? createHttpsServer(certificate, listener) : createHttpServer(listener)
  const connections = await listen(t, server, { host, port })
  return { port: portOf(server), received, connections }
}

/** A server of bytes. */
export async function startRawReceiver(
  t: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; connections: () => number }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  const connections = await listen(t, server)
  return { port: portOf(server), connections }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function listen(
  t: TestContext,
  server: Server,
  { host = '127.0.0.1', port = 0 }: Place = {},
): Promise<() => number> {
  let count = 0
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    count++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  t.after(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  })
  return () => count
}
