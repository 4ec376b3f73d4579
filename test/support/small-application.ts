import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'

export interface SmallApplication {
  /** Name and port. */
  address: string
  /** The requests that reached it, the newest last. */
  seen: { method: string; url: string; headers: IncomingHttpHeaders }[]
  stop(): Promise<void>
}

/** RFC 6455 section 1.3. */
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** An application that knows no sign-in: it shows whom the headers name, streams events, and echoes through a WebSocket. */
export async function startSmallApplication(): Promise<SmallApplication> {
  const seen: SmallApplication['seen'] = []
  /** Node no longer knows of connections that were upgraded. */
  const upgraded = new Set<Duplex>()
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers })
    if (url.startsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
      setTimeout(() => response.end('data: second\n\n'), 50)
      return
    }
    const named = Buffer.from(String(headers['remote-user'] ?? 'nobody'), 'latin1').toString()
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(`<!doctype html><title>Wiki</title><h1>Wiki</h1><p id="user">${named}</p><p id="url">${encodeURI(url)}</p>`)
  })
  server.on('upgrade', ({ method = '', url = '', headers }, socket) => {
    seen.push({ method, url, headers })
    upgraded.add(socket)
    const accept = hash('sha1', `${headers['sec-websocket-key']}${WEBSOCKET}`, 'base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    // One unmasked text frame: who is connected.
    const text = Buffer.from(String(headers['remote-user'] ?? ''))
    socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The application has no port.')
  return {
    address: `127.0.0.1:${address.port}`,
    seen,
    async stop() {
      for (const socket of upgraded) socket.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
