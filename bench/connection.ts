import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One keep-alive connection with one request at a time. Node's own HTTP client would use as much CPU as the servers. */
export interface Connection {
  send(request: string): Promise<Answer>
  close(): void
}

export interface Answer {
  status: number
  head: string
  body: string
}

/** Sends the requests of one step, and throws if an answer is not the expected one. */
export type Step = (connection: Connection, worker: number) => Promise<void>

const HEAD_END = '\r\n\r\n'
const ANSWER_TIMEOUT_MS = 20_000

export async function openConnection(port: number, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Connection> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return createConnection(socket, timeoutMs)
}

function createConnection(socket: Socket, timeoutMs: number): Connection {
  let received = ''
  let pending: PromiseWithResolvers<Answer> | undefined

  const fail = (error: Error) => {
    pending?.reject(error)
    pending = undefined
  }
  // With latin1 each byte is one character, so that Content-Length is the length of the text.
  socket.setEncoding('latin1')
  socket.setTimeout(timeoutMs, () => {
    if (pending) socket.destroy(new Error('There was no answer in time.'))
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection.')))
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = ''
    const { resolve } = pending ?? {}
    pending = undefined
    resolve?.(answer)
  })

  return {
    send(request) {
      if (socket.destroyed) return Promise.reject(new Error('The server has closed the connection.'))
      pending = Promise.withResolvers<Answer>()
      socket.write(request, 'latin1')
      return pending.promise
    },
    close: () => socket.destroy(),
  }
}

/** Returns undefined until the whole answer has arrived. All servers send Content-Length, where there is a body. */
function readAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = text.slice(0, headEnd)
  const status = Number(head.slice(9, 12))
  const length = status === 304 ? '0' : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`An answer has no Content-Length: ${head}`)
  const bodyStart = headEnd + HEAD_END.length
  if (text.length < bodyStart + Number(length)) return undefined
  return { status, head, body: text.slice(bodyStart) }
}

/**
 * Uses a connection that is closed afterwards. What takes long is prepared on one before the connections of a run are opened: the
 * service closes a connection on which nothing is asked for ten seconds.
 */
export async function withConnection<Result>(
  port: number,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(port)
  try {
    return await work(connection)
  } finally {
    connection.close()
  }
}

const HOST = 'Host: localhost:3000\r\n'

export const get = (path: string, headers: Record<string, string> = {}): string =>
  `GET ${path} HTTP/1.1\r\n${HOST}${lines(headers)}\r\n`

export function post(path: string, type: string, body: string, headers: Record<string, string> = {}): string {
  const length = Buffer.byteLength(body, 'latin1')
  return `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\nContent-Length: ${length}\r\n${lines(headers)}\r\n${body}`
}

export const postForm = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): string =>
  post(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString(), headers)

export const postJson = (path: string, body: unknown, headers: Record<string, string> = {}): string =>
  post(path, 'application/json', body === undefined ? '' : JSON.stringify(body), headers)

const lines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

export function expect({ status, head, body }: Answer, expected: number, part: string): void {
  if (status !== expected || !(part === '' || body.includes(part)))
    throw new Error(`Expected ${expected} with ${part}, got:\n${head}\n${body.slice(0, 500)}`)
}
