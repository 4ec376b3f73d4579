import { connect } from 'node:net'
import { once } from 'node:events'
import { ORIGIN } from './app.ts'

export interface HeldBack {
  /** Sends the rest of the body, and reads the answer. */
  finish(): Promise<{ status: number; body: string }>
  /** Reads an answer that comes although the body never did. */
  answer(): Promise<{ status: number; body: string }>
}

interface Request {
  method: string
  path: string
  cookie: string
  type?: string
  body: Buffer
}

/** Sends a request's headers and the first byte of its body over a connection of its own. */
export async function holdBack(address: string, { method, path, cookie, type, body }: Request): Promise<HeldBack> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(socket, 'close')
  const headers = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Origin: ${ORIGIN}`,
    `Cookie: session=${cookie}`,
    `Content-Type: ${type ?? 'application/json'}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.write(Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), body.subarray(0, 1)]))

  const answer = async () => {
    await ended
    const text = Buffer.concat(chunks).toString()
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
  }
  return {
    answer,
    finish() {
      socket.write(body.subarray(1))
      return answer()
    },
  }
}
