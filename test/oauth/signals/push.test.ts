import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, signIn } from '../../support/people.ts'
import { startPushReceiver } from './push-receiver.ts'
import {
  call,
  type Configuration,
  consentTo,
  createStream,
  fetchSets,
  newReceiver,
  type Receiver,
  receiverToken,
  verifySet,
} from './receiver.ts'

const PUSH = 'urn:ietf:rfc:8935'
const POLL = 'urn:ietf:rfc:8936'

onEachEngine('pushing shared signals', (engine) => {
  const shared = sharedApp({ engine, config: { outgoingAllow: ['127.0.0.1'] } })

  async function start(t: TestContext) {
    const app = shared()
    const server = await startPushReceiver(t)
    const receiver = await newReceiver(app, { redirectUris: [`${server.origin}/callback`] })
    const delivery = { method: PUSH, endpoint_url: `${server.origin}/events`, authorization_header: 'Bearer of ours' }
    const stream = await createStream(app, receiver, { delivery })
    return { app, server, receiver, delivery, stream }
  }
  const verification = (app: TestApp, { token }: Receiver, { stream_id }: Configuration, state: string) =>
    call(app, token, 'POST', '/ssf/verify', { stream_id, state })
  const rows = ({ services }: TestApp, { clientId }: Receiver) =>
    services.db.read
      .selectFrom('outbox_deliveries')
      .select(['state', 'attempts', 'last_status', 'last_error', 'next_attempt_at'])
      .where('receiver_id', '=', clientId)
      .orderBy('number')
      .execute()
  /** Until so many deliveries are in this state. */
  async function settled(app: TestApp, receiver: Receiver, state: string, count: number) {
    for (let tries = 0; tries < 200; tries++) {
      await app.tick()
      if ((await rows(app, receiver)).filter((row) => row.state === state).length >= count) return
      await wait(10)
    }
    assert.fail(JSON.stringify(await rows(app, receiver)))
  }
  async function attempted(app: TestApp, receiver: Receiver, count: number) {
    for (let tries = 0; tries < 200; tries++) {
      await app.tick()
      const [row] = await rows(app, receiver)
      if (row && row.attempts >= count && row.last_status !== null) return
      await wait(10)
    }
    assert.fail(JSON.stringify(await rows(app, receiver)))
  }

  test('each event is one POST with the header that the receiver has asked for, and 202 acknowledges it', async (t) => {
    const { app, server, receiver, stream } = await start(t)
    await verification(app, receiver, stream, 'abc')
    await settled(app, receiver, 'acknowledged', 1)
    const [push, ...others] = server.pushes
    assert.deepEqual(others, [])
    assert.deepEqual([push?.method, push?.url], ['POST', '/events'])
    assert.equal(push?.headers['content-type'], 'application/secevent+jwt')
    assert.equal(push?.headers['accept'], 'application/json')
    assert.equal(push?.headers['authorization'], 'Bearer of ours')
    const { events, sub_id } = await verifySet(app, push?.body ?? '', receiver.clientId)
    assert.deepEqual(sub_id, { format: 'opaque', id: stream.stream_id })
    assert.deepEqual(Object.values(events), [{ state: 'abc' }])
  })

  test('what happens to one person arrives in its order', async (t) => {
    const { app, server, receiver } = await start(t)
    const person = await signedInPerson(app)
    await consentTo(app, person, receiver)
    const sessions = await Promise.all(Array.from({ length: 5 }, () => signIn(app, person.user)))
    for (const { sessionId } of sessions) await person.post(`/api/auth/sessions/${sessionId}/revoke`)
    await settled(app, receiver, 'acknowledged', 5)
    const sets = await Promise.all(server.pushes.map(({ body }) => verifySet(app, body, receiver.clientId)))
    const numbers = new Map(
      (await app.services.db.read.selectFrom('outbox_deliveries').select(['id', 'number']).execute()).map(
        ({ id, number }) => [id, number],
      ),
    )
    const order = sets.map(({ jti }) => numbers.get(jti ?? '') ?? 0)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
    assert.equal(order.length, 5)
  })

  test('400 refuses, and nothing is sent again', async (t) => {
    const { app, server, receiver, stream } = await start(t)
    server.answerWith(400)
    await verification(app, receiver, stream, 'abc')
    await settled(app, receiver, 'refused', 1)
    const [row] = await rows(app, receiver)
    assert.deepEqual([row?.attempts, row?.last_status], [1, 400])
    assert.match(row?.last_error ?? '', /invalid_key/)
    app.clock.advance(3_600_000)
    await app.tick()
    assert.equal(server.pushes.length, 1)
  })

  for (const status of [200, 301, 500])
    test(`${status} is tried again: with the same jti, txn and time of the event`, async (t) => {
      const { app, server, receiver, stream } = await start(t)
      server.answerWith(status)
      await verification(app, receiver, stream, 'abc')
      await attempted(app, receiver, 1)
      app.clock.advance(60_000)
      server.answerWith(202)
      await settled(app, receiver, 'acknowledged', 1)
      const [first, second, ...others] = server.pushes
      assert.deepEqual(others, [])
      assert.deepEqual(
        await verifySet(app, second?.body ?? '', receiver.clientId),
        await verifySet(app, first?.body ?? '', receiver.clientId),
      )
    })

  test('nothing is pushed while the stream is paused, and all of it afterwards', async (t) => {
    const { app, server, receiver, stream } = await start(t)
    const { stream_id } = stream
    const set = (status: string) => call(app, receiver.token, 'POST', '/ssf/status', { stream_id, status })
    server.answerWith(500)
    await verification(app, receiver, stream, 'before')
    await attempted(app, receiver, 1)
    await set('paused')
    server.answerWith(202)
    await verification(app, receiver, stream, 'meanwhile')
    app.clock.advance(3_600_000)
    await app.tick()
    assert.equal(server.pushes.length, 1)
    receiver.token = await receiverToken(app, receiver)
    await set('enabled')
    await settled(app, receiver, 'acknowledged', 2)
    assert.equal(server.pushes.length, 3)
  })

  test('what was held too long is given up', async (t) => {
    const { app, server, receiver, stream } = await start(t)
    const { stream_id } = stream
    await call(app, receiver.token, 'POST', '/ssf/status', { stream_id, status: 'paused' })
    await verification(app, receiver, stream, 'abc')
    app.clock.advance(7 * 24 * 3_600_000 + 1)
    await settled(app, receiver, 'given_up', 1)
    assert.equal(server.pushes.length, 0)
  })

  test('what waits moves with the stream from push to poll, and back', async (t) => {
    const { app, server, receiver, stream, delivery } = await start(t)
    const { stream_id } = stream
    server.answerWith(500)
    await verification(app, receiver, stream, 'abc')
    await attempted(app, receiver, 1)
    const polled = (
      await call(app, receiver.token, 'PATCH', '/ssf/stream', { stream_id, delivery: { method: POLL } })
    ).json<Configuration>()
    app.clock.advance(60_000)
    await app.tick()
    assert.equal(server.pushes.length, 1)
    assert.equal(Object.keys((await fetchSets(app, receiver, polled)).sets).length, 1)
    server.answerWith(202)
    await call(app, receiver.token, 'PATCH', '/ssf/stream', { stream_id, delivery })
    await settled(app, receiver, 'acknowledged', 1)
    assert.equal(server.pushes.length, 2)
    const poll = await call(app, receiver.token, 'POST', `/ssf/poll/${stream_id}`, { returnImmediately: true })
    assert.equal(poll.statusCode, 404, 'a stream that is pushed is not polled')
  })

  test('a host inside is for applications that have a redirect URL there, also when they had one', async (t) => {
    const { app, server, receiver, stream, delivery } = await start(t)
    const other = await newReceiver(app)
    const refused = await call(app, other.token, 'POST', '/ssf/stream', { delivery })
    assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [400, 'address_not_allowed'])
    const admin = await signedInPerson(app, { admin: true })
    const url = `/oauth/clients/${receiver.clientId}`
    assert.equal((await admin.patch(url, { redirectUris: ['https://app.example/cb'] })).statusCode, 200)
    await verification(app, receiver, stream, 'abc')
    for (let tries = 0; tries < 200 && (await rows(app, receiver))[0]?.last_error === null; tries++) {
      await app.tick()
      await wait(10)
    }
    const [row] = await rows(app, receiver)
    assert.match(row?.last_error ?? '', /not public/)
    assert.equal(row?.state, 'waiting')
    assert.equal(server.pushes.length, 0)
  })

  test('that an administrator turned the client off is still pushed, and what had happened before', async (t) => {
    const { app, server, receiver } = await start(t)
    const person = await signedInPerson(app)
    await consentTo(app, person, receiver)
    await person.post('/api/auth/logout')
    const admin = await signedInPerson(app, { admin: true })
    await admin.patch(`/oauth/clients/${receiver.clientId}`, { disabled: true })
    await settled(app, receiver, 'acknowledged', 2)
    const sets = await Promise.all(server.pushes.map(({ body }) => verifySet(app, body, receiver.clientId)))
    const names = sets.flatMap(({ events }) => Object.keys(events).map((uri) => uri.split('/').at(-1) ?? ''))
    assert.deepEqual(names.toSorted(), ['session-revoked', 'stream-updated'])
  })

  test('what follows an event that was not acknowledged comes after it', async (t) => {
    const { app, server, receiver, stream } = await start(t)
    server.answerWith(503)
    await verification(app, receiver, stream, 'first')
    await attempted(app, receiver, 1)
    await verification(app, receiver, stream, 'second')
    await app.tick()
    server.answerWith(202)
    app.clock.advance(5000)
    await settled(app, receiver, 'acknowledged', 2)
    const states = await Promise.all(
      server.pushes.map(async ({ body }) => Object.values((await verifySet(app, body, receiver.clientId)).events)[0]),
    )
    assert.deepEqual(
      states.map((event) => event?.['state']),
      ['first', 'first', 'second'],
    )
  })
})
