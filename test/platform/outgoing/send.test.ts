import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { type FailureKind, OutgoingError } from '../../../src/platform/outgoing/outgoing-failure.ts'
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../../../src/platform/outgoing/outgoing.ts'
import { startRawReceiver, startReceiver } from './receiver.ts'

const MACHINE = ['127.0.0.0/8', '::1', 'receiver.test']
const ON_THIS_MACHINE = [{ address: '127.0.0.1', family: 4 }]

function open(t: TestContext, options: OutgoingOptions & { outgoingAllow?: string[] } = {}): Outgoing {
  const outgoing = createOutgoing({ outgoingAllow: options.outgoingAllow ?? MACHINE }, options)
  t.after(() => outgoing.close())
  return outgoing
}

const failsAs = (kind: FailureKind) => (error: unknown) => {
  assert.ok(error instanceof OutgoingError)
  assert.equal(error.kind, kind, error.message)
  assert.match(error.message, /^[\x20-\x7e]{1,200}$/)
  return true
}

test('a request arrives as it was given, and its answer comes back', async (t) => {
  const receiver = await startReceiver(t, {
    answer: (_request, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('taken'),
  })
  const outgoing = open(t)
  const url = `http://127.0.0.1:${receiver.port}/hook?a=b`
  const answer = await outgoing.send({
    url,
    headers: { 'content-type': 'text/plain', 'webhook-id': '1' },
    body: 'Grüße',
  })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['x-answer'], 'yes')
  assert.equal(answer.body.toString(), 'taken')
  assert.equal(answer.isCut, false)
  await outgoing.send({ url })
  const [posted, read] = receiver.received
  assert.ok(posted && read)
  assert.equal(posted.method, 'POST')
  assert.equal(posted.url, '/hook?a=b')
  assert.equal(posted.body, 'Grüße')
  assert.equal(posted.headers['webhook-id'], '1')
  assert.equal(posted.headers['content-length'], '7')
  assert.equal(posted.headers['accept-encoding'], 'identity')
  assert.equal(posted.headers.host, `127.0.0.1:${receiver.port}`)
  assert.equal(read.method, 'GET')
})

test('a redirect is an answer and is not followed', async (t) => {
  const receiver = await startReceiver(t, {
    answer: (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  })
  const { status } = await open(t).send({ url: `http://127.0.0.1:${receiver.port}/`, body: 'x' })
  assert.equal(status, 307)
  assert.equal(receiver.received.length, 1)
})

test('each new connection looks the name up again, and never reaches an address that is not allowed', async (t) => {
  const receiver = await startReceiver(t, {
    answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
  })
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['169.254.169.254', '::ffff:127.0.0.1'], ['::1', '127.0.0.1']]
  const outgoing = open(t, {
    outgoingAllow: ['receiver.test', '127.0.0.1'],
    lookup: async () => (answers.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
  const url = `http://receiver.test:${receiver.port}/`
  assert.equal((await outgoing.send({ url })).status, 204)
  await assert.rejects(outgoing.send({ url }), failsAs('address_not_allowed'))
  await assert.rejects(outgoing.send({ url }), failsAs('address_not_allowed'))
  // Of several addresses only those are tried that are allowed.
  assert.equal((await outgoing.send({ url })).status, 204)
  assert.equal(receiver.received.length, 2)
  assert.equal(receiver.received[0]?.headers.host, `receiver.test:${receiver.port}`)
})

for (const address of [
  '127.0.0.1',
  '::1',
  '169.254.169.254',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '0.0.0.0',
  '10.0.0.1',
])
  test(`a public name that resolves to ${address} is refused`, async (t) => {
    const outgoing = open(t, {
      outgoingAllow: [],
      lookup: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
    })
    await assert.rejects(outgoing.send({ url: 'https://example.com/' }), failsAs('address_not_allowed'))
  })

test('a name that OUTGOING_ALLOW lists still reaches no loopback, link-local or mapped address', async (t) => {
  for (const address of ['127.0.0.1', '::1', '169.254.1.1', 'fe80::1', '0.0.0.0', '::ffff:10.0.0.1', '224.0.0.1']) {
    const lookup = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
    const outgoing = open(t, { outgoingAllow: ['receiver.test'], lookup })
    await assert.rejects(outgoing.send({ url: 'http://receiver.test:1/' }), failsAs('address_not_allowed'))
  }
})

test('a host of its own counts at the attempt too', async (t) => {
  const receiver = await startReceiver(t)
  const outgoing = open(t, { outgoingAllow: MACHINE, lookup: async () => ON_THIS_MACHINE })
  const url = `http://receiver.test:${receiver.port}/`
  assert.equal((await outgoing.send({ url, allowedHosts: ['receiver.test'] })).status, 204)
  const elsewhere = { url: 'https://other.test:1/', allowedHosts: ['receiver.test'] }
  await assert.rejects(outgoing.send(elsewhere), failsAs('address_not_allowed'))
})

test('a connection is used again, but not by a request that must not connect there', async (t) => {
  const receiver = await startReceiver(t)
  let lookups = 0
  const outgoing = open(t, {
    lookup: async () => {
      lookups++
      return ON_THIS_MACHINE
    },
  })
  const url = `http://receiver.test:${receiver.port}/`
  for (let count = 0; count < 5; count++) await outgoing.send({ url, body: String(count) })
  assert.equal(receiver.connections(), 1)
  assert.equal(lookups, 1)
  await assert.rejects(outgoing.send({ url, publicOnly: true }), failsAs('bad_request'))
  assert.equal(receiver.received.length, 5)
})

test('a kept connection that the receiver has closed costs no attempt', async (t) => {
  const sockets: Socket[] = []
  const receiver = await startRawReceiver(t, (socket) => {
    sockets.push(socket)
    socket.on('data', () => {
      // The second request of a connection finds it closed.
      if (socket.bytesWritten > 0) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  const outgoing = open(t)
  for (let count = 0; count < 3; count++)
    assert.equal((await outgoing.send({ url: `http://127.0.0.1:${receiver.port}/`, body: 'x' })).status, 204)
  assert.equal(receiver.connections(), 3)
})

test('what took too long on a kept connection is not sent once more', async (t) => {
  const receiver = await startReceiver(t, {
    answer: ({ url }, response) => {
      if (url === '/fast') response.writeHead(204).end()
    },
  })
  const outgoing = open(t)
  const url = `http://127.0.0.1:${receiver.port}`
  assert.equal((await outgoing.send({ url: `${url}/fast` })).status, 204)
  await assert.rejects(outgoing.send({ url: `${url}/slow`, timeoutMs: 100 }), failsAs('timeout'))
  // Later requests on the same connection, and on a new one, arrive after whatever would be sent again.
  for (const connection of ['keep-alive', 'close', 'close'])
    assert.equal((await outgoing.send({ url: `${url}/fast`, headers: { connection } })).status, 204)
  assert.deepEqual(
    receiver.received.map((each) => each.url),
    ['/fast', '/slow', '/fast', '/fast', '/fast'],
  )
})

test('when the service stops, nothing goes on', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const receiver = await startReceiver(t, {
    answer: ({ url }, response) => {
      if (url === '/fast') response.writeHead(204).end()
      else arrived.resolve()
    },
  })
  const outgoing = open(t, { lookup: () => new Promise(() => undefined) })
  const url = `http://127.0.0.1:${receiver.port}`
  await outgoing.send({ url: `${url}/fast` })
  const ended = Promise.all([
    assert.rejects(outgoing.send({ url: `${url}/slow` }), failsAs('abandoned')),
    assert.rejects(outgoing.send({ url: 'https://receiver.test/' }), failsAs('abandoned')),
  ])
  await arrived.promise
  outgoing.close()
  await ended
  assert.equal(receiver.received.length, 2)
})

test('a new connection that is closed without an answer is a failure', async (t) => {
  const receiver = await startRawReceiver(t, (socket) => socket.once('data', () => socket.destroy()))
  await assert.rejects(open(t).send({ url: `http://127.0.0.1:${receiver.port}/` }), failsAs('connection'))
  assert.equal(receiver.connections(), 1)
})

test('an answer that ends in the middle is a failure', async (t) => {
  const receiver = await startRawReceiver(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
  )
  await assert.rejects(open(t).send({ url: `http://127.0.0.1:${receiver.port}/` }), failsAs('connection'))
})

test('of 10 GB 64 KB are read, and the connection is closed', async (t) => {
  let written = 0
  const closed = Promise.withResolvers<void>()
  const receiver = await startRawReceiver(t, (socket) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const more = () => {
      while (!socket.destroyed && written < 10 * 1024 ** 3) {
        written += chunk.length
        if (!socket.write(chunk)) break
      }
    }
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${10 * 1024 ** 3}\r\n\r\n`)
      socket.on('drain', more)
      more()
    })
    socket.on('close', () => closed.resolve())
  })
  const url = `http://127.0.0.1:${receiver.port}/`
  const answer = await open(t).send({ url })
  assert.equal(answer.status, 200)
  assert.equal(answer.body.length, 64 * 1024)
  assert.equal(answer.isCut, true)
  await closed.promise
  assert.ok(written < 64 * 1024 ** 2, `${written} bytes were taken`)
})

test('an answer of exactly the limit is whole, and one byte more is cut', async (t) => {
  const receiver = await startReceiver(t, {
    answer: ({ url = '' }, response) => response.end(Buffer.alloc(Number(url.slice(1)))),
  })
  const outgoing = open(t)
  const read = async (size: number, maxBytes?: number) => {
    const limit = maxBytes === undefined ? {} : { maxBytes }
    const { body, isCut } = await outgoing.send({ url: `http://127.0.0.1:${receiver.port}/${size}`, ...limit })
    return [body.length, isCut]
  }
  assert.deepEqual(await read(65_536), [65_536, false])
  assert.deepEqual(await read(65_537), [65_536, true])
  assert.deepEqual(await read(100, 99), [99, true])
  assert.deepEqual(await read(70_000, 1_000_000), [65_536, true])
})

test('a packed answer is not unpacked', async (t) => {
  const packed = Buffer.from('1f8b0800', 'hex')
  const receiver = await startReceiver(t, {
    answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  })
  const { body } = await open(t).send({ url: `http://127.0.0.1:${receiver.port}/` })
  assert.deepEqual(body, packed)
})

const SLOW: Record<string, (socket: Socket) => void> = {
  'does not answer': () => undefined,
  'never ends its headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
  'never ends its body': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', '.'),
  'sends chunk after chunk': (socket) =>
    drip(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
}

function drip(socket: Socket, first: string, next: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(next), 20)
  socket.on('close', () => clearInterval(timer))
}

for (const [what, onRequest] of Object.entries(SLOW))
  test(`a receiver that ${what} is left when the time is over`, async (t) => {
    const closed = Promise.withResolvers<void>()
    const receiver = await startRawReceiver(t, (socket) => {
      socket.once('data', () => onRequest(socket))
      socket.on('close', () => closed.resolve())
    })
    const sent = open(t).send({ url: `http://127.0.0.1:${receiver.port}/`, timeoutMs: 200 })
    await assert.rejects(sent, (error) => {
      failsAs('timeout')(error)
      assert.match((error as Error).message, /^The answer took longer than 0\.2 seconds\.$/)
      return true
    })
    await closed.promise
  })

test('the time limit holds while the name is looked up, and no connection is made afterwards', async (t) => {
  const receiver = await startReceiver(t)
  const lookup = Promise.withResolvers<typeof ON_THIS_MACHINE>()
  const outgoing = open(t, { lookup: () => lookup.promise })
  const url = `http://receiver.test:${receiver.port}/`
  await assert.rejects(outgoing.send({ url, timeoutMs: 50 }), failsAs('timeout'))
  lookup.resolve(ON_THIS_MACHINE)
  await lookup.promise
  assert.equal((await open(t).send({ url: `http://127.0.0.1:${receiver.port}/` })).status, 204)
  assert.equal(receiver.received.length, 1)
})

test('a receiver that never stops announcing an answer is left', async (t) => {
  const receiver = await startRawReceiver(t, (socket) =>
    socket.once('data', () =>
      drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20), 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ),
  )
  await assert.rejects(open(t).send({ url: `http://127.0.0.1:${receiver.port}/` }), failsAs('protocol'))
})

test('an answer before the request was read ends the connection', async (t) => {
  const body = Buffer.alloc(32 * 1024 ** 2)
  const connected = Promise.withResolvers<Socket>()
  const receiver = await startRawReceiver(t, (socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
    connected.resolve(socket)
  })
  assert.equal((await open(t).send({ url: `http://127.0.0.1:${receiver.port}/`, body })).status, 204)
  const socket = await connected.promise
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  assert.ok(socket.bytesRead < body.length)
})

test('whoever no longer owns a request sends nothing', async (t) => {
  const receiver = await startReceiver(t)
  const outgoing = open(t)
  const url = `http://127.0.0.1:${receiver.port}/`
  await assert.rejects(outgoing.send({ url, body: 'x', isStillMine: () => false }), failsAs('abandoned'))
  assert.equal((await outgoing.send({ url, isStillMine: () => true })).status, 204)
  // Also on a connection that is there already.
  await assert.rejects(outgoing.send({ url, body: 'x', isStillMine: () => false }), failsAs('abandoned'))
  assert.equal(receiver.received.length, 1)
})

test('what is not HTTP, and headers without end, are failures', async (t) => {
  for (const answer of ['SSH-2.0-OpenSSH_9.9\r\n', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`]) {
    const receiver = await startRawReceiver(t, (socket) => socket.once('data', () => socket.write(answer)))
    await assert.rejects(open(t).send({ url: `http://127.0.0.1:${receiver.port}/` }), failsAs('protocol'))
  }
})

test('a header that could end the headers is never sent', async (t) => {
  const receiver = await startReceiver(t)
  const outgoing = open(t)
  const url = `http://127.0.0.1:${receiver.port}/`
  for (const headers of [
    { authorization: 'Bearer a\r\nx-injected: 1' },
    { 'x\r\ny': '1' },
    { authorization: 'a\u0000' },
  ])
    await assert.rejects(outgoing.send({ url, headers }), failsAs('bad_request'))
  // What a URL says in escapes stays escaped.
  await outgoing.send({ url: `${url}%0d%0aX-Injected:%201?%0d%0a` })
  assert.equal(receiver.received.length, 1)
  assert.equal(receiver.received[0]?.url, '/%0d%0aX-Injected:%201?%0d%0a')
  assert.equal(receiver.received[0]?.headers['x-injected'], undefined)
})

test('a refused connection and a name that does not exist are told in a few words, without the path', async (t) => {
  const unused = createServer().listen(0, '127.0.0.1')
  await once(unused, 'listening')
  const { port } = unused.address() as { port: number }
  unused.close()
  await once(unused, 'close')
  const refused = open(t).send({ url: `http://127.0.0.1:${port}/secret-path?token=secret` })
  await assert.rejects(refused, (error) => {
    failsAs('connection')(error)
    assert.doesNotMatch((error as Error).message, /secret/)
    return true
  })
  const lookup = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  }
  await assert.rejects(open(t, { lookup }).send({ url: 'https://gone.example/secret' }), failsAs('lookup'))
  await assert.rejects(
    open(t, { lookup: async () => [] }).send({ url: 'https://gone.example/' }),
    failsAs('address_not_allowed'),
  )
})

test('a proxy of the environment is not used', async (t) => {
  const proxied = await startRawReceiver(t, () => undefined)
  const receiver = await startReceiver(t)
  const before = { ...process.env }
  process.env['NODE_USE_ENV_PROXY'] = '1'
  process.env['HTTP_PROXY'] = `http://127.0.0.1:${proxied.port}`
  t.after(() => {
    process.env = before
  })
  assert.equal((await open(t).send({ url: `http://127.0.0.1:${receiver.port}/` })).status, 204)
  assert.equal(proxied.connections(), 0)
})
