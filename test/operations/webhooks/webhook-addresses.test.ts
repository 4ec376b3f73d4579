import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawReceiver, startReceiver } from '../../platform/outgoing/receiver.ts'
import { startApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { onMainEngine } from '../../support/engines.ts'
import { until } from '../../support/replicas.ts'
import { happens, webhookManager } from './webhook-people.ts'

onMainEngine('what a webhook is sent to', (engine) => {
  test('is never an address that its name has only since the first look', async (t) => {
    const receiver = await startReceiver(t, {
      host: '127.0.0.2',
      answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
    })
    const elsewhere = await startReceiver(t, { port: receiver.port })
    let address = '127.0.0.2'
    const app = await startApp(t, {
      engine,
      clock: createClock(Date.now()),
      config: { outgoingAllow: ['receiver.test', '127.0.0.2'] },
      outgoing: { lookup: async () => [{ address, family: 4 }] },
    })
    const { add, deliveries } = await webhookManager(app)
    const { webhook } = await add({ url: `http://receiver.test:${receiver.port}/in` })
    const untilFirst = (isReached: (state: string, error: string | null) => boolean) =>
      until(async () => {
        await app.tick()
        const [first] = (await deliveries(webhook.id)).deliveries
        return first !== undefined && isReached(first.state, first.lastError)
      })
    await happens(app)
    await untilFirst((state) => state === 'acknowledged')
    for (const changed of ['127.0.0.1', '169.254.169.254']) {
      address = changed
      await happens(app)
      await untilFirst((state, error) => state === 'waiting' && error?.includes('OUTGOING_ALLOW') === true)
      address = '127.0.0.2'
      app.clock.advance(3_600_000)
      await untilFirst((state) => state === 'acknowledged')
    }
    assert.equal(receiver.received.length, 3)
    assert.equal(elsewhere.connections(), 0)
  })

  test('can’t lead it elsewhere by a redirect, nor keep it with an answer without end', async (t) => {
    const elsewhere = await startReceiver(t)
    const endless = await startRawReceiver(t, (socket) => {
      const more = () => {
        while (socket.write(Buffer.alloc(64 * 1024, 'x')));
      }
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n')
        socket.on('drain', more)
        more()
      })
    })
    const receiver = await startReceiver(t, {
      answer: (_request, response) =>
        response.writeHead(308, { location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    })
    const config = { outgoingAllow: ['127.0.0.1'] }
    const app = await startApp(t, { engine, clock: createClock(Date.now()), config })
    const { add, deliveries } = await webhookManager(app)
    const [redirecting, unending] = [
      await add({ url: `http://127.0.0.1:${receiver.port}/` }),
      await add({ url: `http://127.0.0.1:${endless.port}/` }),
    ]
    await happens(app)
    await until(async () => {
      await app.tick()
      const [first] = (await deliveries(redirecting.webhook.id)).deliveries
      const [second] = (await deliveries(unending.webhook.id)).deliveries
      return first?.lastStatus === 308 && first.state === 'waiting' && second?.state === 'acknowledged'
    })
    assert.equal(elsewhere.connections(), 0)
  })
})
