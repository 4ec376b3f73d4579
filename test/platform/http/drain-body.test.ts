import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { AVATAR_PATH, BOUNDARY, form, MULTIPART, partHeader, picture } from '../../identity/account/upload.ts'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

const MB = 1024 * 1024
/** More than the service reads after a refusal, including the buffers of the operating system. */
const MAX_READ_BYTES = 64 * MB

let port: number
let person: SignedInPerson

interface Request {
  method: string
  path: string
  headers?: Record<string, string>
}

const head = ({ method, path, headers = {} }: Request): string => {
  const all = { host: 'localhost', origin: ORIGIN, cookie: `session=${person.cookie}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** A connection whose client can be made to write everything before it reads anything. */
function open(): { socket: Socket; received(): string; failure(): unknown } {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let failure: unknown
  socket.on('error', (error) => (failure = error))
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  return { socket, received: () => received, failure: () => failure }
}

/** Writes all chunks as fast as the connection accepts them. Returns how much was written before it was closed. */
async function write(socket: Socket, chunks: Iterable<string | Buffer>): Promise<number> {
  let written = 0
  for (const chunk of chunks) {
    if (socket.destroyed) break
    written += chunk.length
    if (!socket.write(chunk)) await drained(socket)
  }
  return written
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const finish = () => {
    socket.off('drain', finish).off('close', finish)
    resolve()
  }
  socket.once('drain', finish).once('close', finish)
  return promise
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close').catch(() => {}))

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1] ?? 0)

const json = { 'content-type': 'application/json' }
const chunked = { 'transfer-encoding': 'chunked' }

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

function* endless(first: Buffer, rest: Buffer): Generator<Buffer> {
  yield chunk(first)
  const again = chunk(rest)
  for (;;) yield again
}

const refused: [string, Request, Buffer, number][] = [
  [
    'a body whose Content-Length is too large',
    { method: 'POST', path: '/api/auth/login', headers: { ...json, 'content-length': String(8 * MB) } },
    Buffer.alloc(8 * MB, 'x'),
    413,
  ],
  [
    'a chunked body that is too large',
    {
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...chunked },
    },
    Buffer.concat([chunk(Buffer.alloc(8 * MB, 'x')), Buffer.from('0\r\n\r\n')]),
    413,
  ],
  [
    'an avatar of 12 MB',
    { method: 'PUT', path: AVATAR_PATH, headers: { ...MULTIPART, ...chunked } },
    Buffer.concat([chunk(form({ bytes: Buffer.alloc(12 * MB) })), Buffer.from('0\r\n\r\n')]),
    413,
  ],
  [
    'a large body without a session',
    {
      method: 'PATCH',
      path: '/api/account/profile',
      headers: { ...json, cookie: 'session=none', 'content-length': String(8 * MB) },
    },
    Buffer.alloc(8 * MB, 'x'),
    401,
  ],
]

describe('a client that is refused while it is still sending', () => {
  const shared = sharedApp()
  before(async () => {
    port = Number(new URL(await shared().listen()).port)
    person = await signedInPerson(shared())
  })

  for (const [name, request, body, status] of refused) {
    for (const connection of ['keep-alive', 'close']) {
      test(`${name} answers ${status}, which a client that writes everything first can still read (${connection})`, async () => {
        const { socket, received, failure } = open()
        socket.pause()
        const headers = { ...request.headers, connection }
        await write(socket, [head({ ...request, headers }), body])
        socket.resume()
        await closed(socket)
        assert.equal(failure(), undefined)
        assert.equal(statusOf(received()), status, received())
        assert.match(received(), /connection: close/)
        assert.match(received(), /"(code|error)":"[a-z_]+"/)
      })
    }
  }

  test('headers that are far too large answer 431, which a client that writes all of them first can still read', async () => {
    const { socket, received, failure } = open()
    socket.pause()
    await write(socket, [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(4 * MB)}\r\n\r\n`])
    socket.end()
    socket.resume()
    await closed(socket)
    assert.equal(failure(), undefined)
    assert.equal(statusOf(received()), 431)
  })

  const uploads: [string, Buffer, Buffer][] = [
    ['an endless avatar', partHeader(), Buffer.alloc(MB)],
    ['an endless upload without a part', Buffer.from('nothing'), Buffer.alloc(MB, 'x')],
    [
      'an endless form field',
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="field"\r\n\r\n`),
      Buffer.alloc(MB, 'x'),
    ],
  ]

  for (const [name, first, rest] of uploads) {
    test(`${name} answers 413 after little more than 5 MB, and its connection is closed`, async () => {
      const { socket, received } = open()
      await write(socket, [head({ method: 'PUT', path: AVATAR_PATH, headers: { ...MULTIPART, ...chunked } })])
      let answeredAfter: number | undefined
      socket.once('data', () => (answeredAfter = socket.bytesWritten))
      const written = await write(socket, endless(first, rest))
      await closed(socket)
      assert.equal(statusOf(received()), 413, received())
      assert.ok(answeredAfter !== undefined && answeredAfter < MAX_READ_BYTES, String(answeredAfter))
      assert.ok(written < MAX_READ_BYTES, `${written} bytes were written`)
    })
  }

  test('an avatar with a Content-Length of 60 MB answers 413 before any of it is sent', async () => {
    const { socket, received } = open()
    const headers = { ...MULTIPART, 'content-length': String(60 * MB) }
    await write(socket, [head({ method: 'PUT', path: AVATAR_PATH, headers })])
    await once(socket, 'data')
    assert.equal(statusOf(received()), 413)
    socket.destroy()
  })

  test('a client that is refused and neither sends more nor closes the connection is disconnected soon', async () => {
    const { socket, received } = open()
    const headers = { ...json, 'content-length': String(MB) }
    await write(socket, [head({ method: 'POST', path: '/api/auth/login', headers }), 'x'])
    await closed(socket)
    assert.equal(statusOf(received()), 413)
  })

  test('an avatar of exactly 5 MB is accepted afterwards', async () => {
    const png = await picture()
    // Bytes after the end of a PNG are ignored.
    const bytes = Buffer.concat([png, Buffer.alloc(5 * MB - png.length)])
    const answer = await person.put(AVATAR_PATH, form({ bytes }), MULTIPART)
    assert.equal(answer.statusCode, 200, answer.body)
  })
})
