import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { startApp } from '../../support/app.ts'

const HEAD = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'

/** A connection of its own, and all that it receives. */
function open(t: TestContext, address: string) {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  t.after(() => void socket.destroy())
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  const closed = once(socket, 'close')
  /** Asks once more, and waits for the answer. */
  const ask = async () => {
    const before = received.length
    socket.write(`${HEAD}\r\n`)
    while (!received.slice(before).includes('"ok"')) await Promise.race([once(socket, 'data'), closed])
  }
  return { socket, ask, closed, received: () => received }
}

/** Sends a head that never ends, a header at a time, until the connection is closed. */
async function dribble(socket: Socket): Promise<void> {
  socket.write(HEAD)
  const timer = setInterval(() => socket.writable && socket.write('X-More: 1\r\n'), 20)
  await once(socket, 'close')
  clearInterval(timer)
}

test('a connection whose head does not arrive in time answers 408 and is closed, also on a later request', async (t) => {
  const app = await startApp(t, { maxHeadMs: 200 })
  const address = await app.listen()
  const [first, later, silent] = [open(t, address), open(t, address), open(t, address)]
  await later.ask()
  await Promise.all([dribble(first.socket), dribble(later.socket), silent.closed])
  for (const { received } of [first, later, silent]) {
    assert.match(received(), /HTTP\/1\.1 408 /)
    assert.match(received(), /"code":"request_timeout"/)
  }
})

test('a connection that is kept for the next request has longer than a head', async (t) => {
  const app = await startApp(t, { maxHeadMs: 200 })
  const address = await app.listen()
  const kept = open(t, address)
  await kept.ask()
  await open(t, address).closed
  await kept.ask()
  assert.equal(kept.received().match(/HTTP\/1\.1 200 /g)?.length, 2)
})

test('a head has ten seconds', async (t) => {
  assert.equal((await startApp(t)).app.server.headersTimeout, 10_000)
})
