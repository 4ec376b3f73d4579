import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import type { Config } from '../../../src/platform/config/config.ts'
import { startReceiver } from '../../platform/outgoing/receiver.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { type EngineName, onEachEngine } from '../../support/engines.ts'
import { until } from '../../support/replicas.ts'
import { happens, webhookManager, WEBHOOKS } from './webhook-people.ts'

/** The receiver is on this machine. */
const config: Partial<Config> = { outgoingAllow: ['127.0.0.1'] }

interface Message {
  type: string
  data: { targetId: string }
  sequence: number
}

/** A service, a webhook, and its receiver, which answers with the statuses that it is given, and then with 204. */
async function setUp(t: TestContext, engine: EngineName, answer?: RequestListener) {
  const app = await startApp(t, { engine, config, clock: createClock(Date.now()) })
  const answers: { status: number; headers?: Record<string, string> }[] = []
  const answerNext: RequestListener = (_request, response) => {
    const { status, headers = {} } = answers.shift() ?? { status: 204 }
    response.writeHead(status, headers).end()
  }
  const receiver = await startReceiver(t, { answer: answer ?? answerNext })
  const people = await webhookManager(app)
  const { webhook, secret } = await people.add({ url: `http://127.0.0.1:${receiver.port}/in` })
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Message)
  const read = async () => (await people.manager.get(`${WEBHOOKS}/${webhook.id}`)).json().webhook
  /** Waits until every delivery is as the list says, newest first. */
  const untilStates = (...expected: string[]) =>
    until(async () => {
      await app.tick()
      const states = (await people.deliveries(webhook.id)).deliveries.map(({ state }) => state)
      return states.join() === expected.join()
    })
  const untilReceived = (count: number) =>
    until(async () => {
      await app.tick()
      return receiver.received.length >= count
    })
  return { app, answers, receiver, messages, ...people, webhook, secret, read, untilStates, untilReceived }
}

onEachEngine('a webhook', (engine) => {
  test('is told after the commit, and its acknowledgement is shown', async (t) => {
    const { app, receiver, messages, secret, read, untilStates, deliveries, webhook } = await setUp(t, engine)
    await happens(app)
    await untilStates('acknowledged')
    const [received] = receiver.received
    new Verifier(secret).verify(received?.body ?? '', received?.headers as Record<string, string>)
    assert.deepEqual([received?.method, received?.url, receiver.received.length], ['POST', '/in', 1])
    assert.deepEqual(
      messages().map(({ type, sequence }) => [type, sequence]),
      [['user.updated', 1]],
    )
    const { lastStatus, lastAt } = await read()
    assert.deepEqual([lastStatus, lastAt], [204, app.clock.now()])
    const [delivery] = (await deliveries(webhook.id)).deliveries
    assert.deepEqual([delivery?.id, delivery?.attempts], [received?.headers['webhook-id'], 1])
    assert.deepEqual([delivery?.lastStatus, delivery?.lastError, delivery?.nextAttemptAt], [204, null, null])
  })

  test('that fails gets the same again, in order for each person, whatever the answer was', async (t) => {
    const { app, answers, receiver, messages, read, untilStates, untilReceived, deliveries, webhook } = await setUp(
      t,
      engine,
    )
    answers.push({ status: 302, headers: { location: '/elsewhere' } }, { status: 500 })
    await happens(app)
    await untilReceived(1)
    await happens(app, 'user.disabled')
    app.clock.advance(1000)
    await untilReceived(2)
    await until(async () => (await read()).lastStatus === 500)
    const { lastStatus, lastError, state, attempts } = (await deliveries(webhook.id)).deliveries[1]!
    assert.deepEqual([lastStatus, state, attempts], [500, 'waiting', 2])
    assert.match(lastError ?? '', /500/)
    app.clock.advance(5000)
    await untilStates('acknowledged', 'acknowledged')
    assert.deepEqual(
      messages().map(({ type, sequence }) => [type, sequence]),
      [
        ['user.updated', 1],
        ['user.updated', 1],
        ['user.updated', 1],
        ['user.disabled', 2],
      ],
    )
    assert.equal(new Set(receiver.received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(receiver.received.slice(0, 3).map(({ body }) => body)).size, 1)
    assert.ok(receiver.received.every(({ url }) => url === '/in'))
  })

  test('that answers 410 is turned off: that delivery is refused, and nothing more is sent', async (t) => {
    const { app, answers, receiver, read, manager, untilStates } = await setUp(t, engine)
    answers.push({ status: 410 })
    await happens(app)
    await until(async () => {
      await app.tick()
      return !(await read()).enabled
    })
    await untilStates('refused')
    await happens(app)
    await untilStates('refused')
    assert.equal(receiver.received.length, 1)
    const { events } = (await manager.get('/api/admin/audit?action=webhook.turned_off')).json()
    assert.deepEqual(events[0].data, { host: `127.0.0.1:${receiver.port}`, reason: 'gone' })
  })

  test('gets a delivery again with the same id and sequence', async (t) => {
    const { app, receiver, messages, manager, webhook, deliveries, untilStates, untilReceived } = await setUp(t, engine)
    await happens(app)
    await happens(app, 'user.updated', 'usr_bob')
    await untilStates('acknowledged', 'acknowledged')
    const [, first] = (await deliveries(webhook.id)).deliveries
    await manager.post(`${WEBHOOKS}/${webhook.id}/deliveries/${first?.id}/redeliver`)
    await untilReceived(3)
    await untilStates('acknowledged', 'acknowledged')
    assert.deepEqual(
      [receiver.received[2]?.headers['webhook-id'], messages()[2]?.sequence],
      [first?.id, first?.sequence],
    )
  })

  test('gets a test', async (t) => {
    const { messages, manager, webhook, untilStates } = await setUp(t, engine)
    assert.equal((await manager.post(`${WEBHOOKS}/${webhook.id}/test`)).statusCode, 201)
    await untilStates('acknowledged')
    const [{ type, data, sequence } = {} as Message] = messages()
    assert.deepEqual([type, data.targetId, sequence], ['webhook.test', webhook.id, 1])
  })

  test('is told nothing of what waited when its address was not allowed any more, and learns it later', async (t) => {
    const { app, receiver, manager, webhook, untilStates, deliveries, read } = await setUp(t, engine)
    await app.services.db.transaction((trx) =>
      trx.updateTable('webhooks').set({ url: 'http://127.0.0.2/' }).where('id', '=', webhook.id).execute(),
    )
    await happens(app)
    await until(async () => {
      await app.tick()
      return (await read()).lastAt !== null
    })
    assert.match((await deliveries(webhook.id)).deliveries[0]?.lastError ?? '', /OUTGOING_ALLOW|not public|https/)
    assert.equal((await read()).lastStatus, null)
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { url: `http://127.0.0.1:${receiver.port}/mended` })
    await untilStates('acknowledged')
    assert.deepEqual(
      receiver.received.map(({ url }) => url),
      ['/mended'],
    )
  })

  test('whose answer repeats the address does not bring it into errors and the log', async (t) => {
    const { app, receiver, manager, webhook, deliveries, read } = await setUp(t, engine, (request, response) => {
      response.writeHead(404).end(`<pre>Cannot POST ${request.url?.replaceAll('&', '&amp;')}</pre>, ${request.url}`)
    })
    const url = `http://127.0.0.1:${receiver.port}/services/T0/secret-of-the-path?key=secret-of-the-query&team=1`
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { url })
    await happens(app)
    await until(async () => {
      await app.tick()
      return (await read()).lastStatus === 404
    })
    const [delivery] = (await deliveries(webhook.id)).deliveries
    assert.equal(delivery?.lastError, 'HTTP 404: <pre>Cannot POST [...]</pre>, [...]')
    assert.match(app.logged(), /Cannot POST \[...\]/)
    assert.doesNotMatch(app.logged(), /secret-of-the/)
  })

  test('gets consecutive numbers, and what is about one person in order, from 8 writers on two replicas', async (t) => {
    const { app, answers, receiver, messages, untilReceived } = await setUp(t, engine)
    const options = { engine, config, clock: app.clock, storage: app.storage }
    const apps: TestApp[] = engine === 'sqlite' ? [app] : [app, await startApp(t, options)]
    answers.push(...Array.from({ length: 3 }, () => ({ status: 503 })))
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let each = 0; each < 10; each++)
          await happens(apps[writer % apps.length]!, 'user.updated', `usr_${writer}`)
      }),
    )
    await until(async () => {
      app.clock.advance(1000)
      for (const each of apps) await each.tick()
      return new Set(messages().map(({ sequence }) => sequence)).size === 80
    })
    await untilReceived(83)
    const all = [...new Set(messages().map(({ sequence }) => sequence))].toSorted((one, other) => one - other)
    assert.deepEqual(
      all,
      Array.from({ length: 80 }, (_, at) => at + 1),
    )
    for (const own of Map.groupBy(messages(), ({ data }) => data.targetId).values()) {
      const sequences = own.map(({ sequence }) => sequence)
      assert.deepEqual(
        sequences,
        sequences.toSorted((one, other) => one - other),
      )
    }
    assert.ok(receiver.received.length >= 83)
  })
})
