import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { AVATAR, BOUNDARY, form, partHeader, picture } from '../account/upload.ts'
import { ORIGIN, sharedApp } from '../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

const MB = 1024 * 1024
/** More than is ever read on, with what the system holds in between. */
const MAX_TAKEN = 64 * MB

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
function open(): { socket: Socket; heard(): string; failure(): unknown } {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  let failure: unknown
  socket.on('error', (error) => (failure = error))
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')))
  return { socket, heard: () => heard, failure: () => failure }
}

/** Writes all of it, as fast as it is taken. Answers how much was taken before the connection was closed. */
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
  const over = () => {
    socket.off('drain', over).off('close', over)
    resolve()
  }
  socket.once('drain', over).once('close', over)
  return promise
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close').catch(() => {}))

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1] ?? 0)

const json = { 'content-type': 'application/json' }
const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
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
    'a body that is announced as too large',
    { method: 'POST', path: '/api/auth/login', headers: { ...json, 'content-length': String(8 * MB) } },
    Buffer.alloc(8 * MB, 'x'),
    413,
  ],
  [
    'a body that turns out to be too large',
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
    { method: 'PUT', path: AVATAR, headers: { ...multipart, ...chunked } },
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

  for (const [what, request, body, status] of refused) {
    for (const connection of ['keep-alive', 'close']) {
      test(`${what} is answered ${status}, and a client that writes all of it first can read that (${connection})`, async () => {
        const { socket, heard, failure } = open()
        socket.pause()
        const headers = { ...request.headers, connection }
        await write(socket, [head({ ...request, headers }), body])
        socket.resume()
        await closed(socket)
        assert.equal(failure(), undefined)
        assert.equal(statusOf(heard()), status, heard())
        assert.match(heard(), /connection: close/)
        assert.match(heard(), /"(code|error)":"[a-z_]+"/)
      })
    }
  }

  test('headers that are far too large are answered 431, and a client that writes all of them first can read that', async () => {
    const { socket, heard, failure } = open()
    socket.pause()
    await write(socket, [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(4 * MB)}\r\n\r\n`])
    socket.end()
    socket.resume()
    await closed(socket)
    assert.equal(failure(), undefined)
    assert.equal(statusOf(heard()), 431)
  })

  const uploads: [string, Buffer, Buffer][] = [
    ['an avatar without an end', partHeader(), Buffer.alloc(MB)],
    ['an upload that never comes to its first part', Buffer.from('nothing'), Buffer.alloc(MB, 'x')],
    [
      'a field without an end',
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="field"\r\n\r\n`),
      Buffer.alloc(MB, 'x'),
    ],
  ]

  for (const [what, first, rest] of uploads) {
    test(`${what} is answered 413 after little more than 5 MB, and its connection closed`, async () => {
      const { socket, heard } = open()
      await write(socket, [head({ method: 'PUT', path: AVATAR, headers: { ...multipart, ...chunked } })])
      let answeredAfter: number | undefined
      socket.once('data', () => (answeredAfter = socket.bytesWritten))
      const written = await write(socket, endless(first, rest))
      await closed(socket)
      assert.equal(statusOf(heard()), 413, heard())
      assert.ok(answeredAfter !== undefined && answeredAfter < MAX_TAKEN, String(answeredAfter))
      assert.ok(written < MAX_TAKEN, `${written} bytes were taken`)
    })
  }

  test('an avatar that announces 60 MB is answered 413 before any of it is sent', async () => {
    const { socket, heard } = open()
    const headers = { ...multipart, 'content-length': String(60 * MB) }
    await write(socket, [head({ method: 'PUT', path: AVATAR, headers })])
    await once(socket, 'data')
    assert.equal(statusOf(heard()), 413)
    socket.destroy()
  })

  test('a client that is refused and neither sends on nor hangs up loses its connection soon', async () => {
    const { socket, heard } = open()
    const headers = { ...json, 'content-length': String(MB) }
    await write(socket, [head({ method: 'POST', path: '/api/auth/login', headers }), 'x'])
    await closed(socket)
    assert.equal(statusOf(heard()), 413)
  })

  test('the service goes on as before: an avatar of 5 MB less a little is taken', async () => {
    const png = await picture()
    // What follows the picture in the file is no part of it.
    const bytes = Buffer.concat([png, Buffer.alloc(5 * MB - png.length)])
    const answer = await person.put(AVATAR, form({ bytes }), multipart)
    assert.equal(answer.statusCode, 200, answer.body)
  })
})
