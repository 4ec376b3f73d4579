import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { call, consentTo, fetchSets, newStream, type Receiver, receiverToken, verifySet } from './receiver.ts'

type Stream = Awaited<ReturnType<typeof newStream>>['stream']

onEachEngine('polling shared signals', (engine) => {
  const app = sharedApp({ engine })
  const verify = (app: TestApp, { token }: Receiver, { stream_id }: Stream, state: string) =>
    call(app, token, 'POST', '/ssf/verify', { stream_id, state })
  const states = (app: TestApp, { clientId }: Receiver) =>
    app.services.db.read
      .selectFrom('outbox_deliveries')
      .select(['state', 'last_error'])
      .where('receiver_id', '=', clientId)
      .orderBy('number')
      .execute()
  const stateOf = async (app: TestApp, receiver: Receiver, set: string | undefined) =>
    Object.values((await verifySet(app, set ?? '', receiver.clientId)).events)[0]?.['state']

  test('what is not acknowledged comes again, in its order and the same; what is acknowledged does not', async () => {
    const { receiver, stream } = await newStream(app())
    for (const state of ['a', 'b', 'c']) await verify(app(), receiver, stream, state)
    const first = await fetchSets(app(), receiver, stream, { maxEvents: 2 })
    assert.equal(first.moreAvailable, true)
    assert.deepEqual(await Promise.all(Object.values(first.sets).map((set) => stateOf(app(), receiver, set))), [
      'a',
      'b',
    ])
    const [a, b] = Object.keys(first.sets)
    const again = await fetchSets(app(), receiver, stream, { maxEvents: 2 })
    assert.deepEqual(Object.keys(again.sets), [a, b])
    for (const jti of [a, b])
      assert.deepEqual(
        await verifySet(app(), again.sets[jti!]!, receiver.clientId),
        await verifySet(app(), first.sets[jti!]!, receiver.clientId),
      )
    const rest = await fetchSets(app(), receiver, stream, { ack: [b] })
    assert.deepEqual(await Promise.all(Object.values(rest.sets).map((set) => stateOf(app(), receiver, set))), [
      'a',
      'c',
    ])
    assert.equal(rest.moreAvailable, false)
    assert.deepEqual(await fetchSets(app(), receiver, stream, { ack: Object.keys(rest.sets), maxEvents: 0 }), {
      sets: {},
      moreAvailable: false,
    })
    assert.deepEqual(await fetchSets(app(), receiver, stream), { sets: {}, moreAvailable: false })
    assert.deepEqual(
      (await states(app(), receiver)).map(({ state }) => state),
      ['acknowledged', 'acknowledged', 'acknowledged'],
    )
  })

  test('what a receiver can’t take is refused, with what it says', async () => {
    const { receiver, stream } = await newStream(app())
    await verify(app(), receiver, stream, 'a')
    const [jti] = Object.keys((await fetchSets(app(), receiver, stream)).sets)
    const setErrs = { [jti!]: { err: 'authentication_failed', description: 'Not\r\nyours\u0007' } }
    assert.deepEqual(await fetchSets(app(), receiver, stream, { setErrs }), { sets: {}, moreAvailable: false })
    assert.deepEqual(await states(app(), receiver), [
      { state: 'refused', last_error: 'authentication_failed Not yours' },
    ])
  })

  test('the jti of another receiver, one that is not known and one that is over change nothing', async () => {
    const [mine, theirs] = [await newStream(app()), await newStream(app())]
    for (const { receiver, stream } of [mine, theirs]) await verify(app(), receiver, stream, 'a')
    const [foreign] = Object.keys((await fetchSets(app(), theirs.receiver, theirs.stream)).sets)
    const { receiver, stream } = mine
    await fetchSets(app(), receiver, stream, { ack: [foreign, 'nonsense', ''] })
    await fetchSets(app(), receiver, stream, { setErrs: { [foreign!]: { err: 'x' } } })
    assert.deepEqual(await states(app(), theirs.receiver), [{ state: 'waiting', last_error: null }])
    const [own] = Object.keys((await fetchSets(app(), receiver, stream)).sets)
    await fetchSets(app(), receiver, stream, { ack: [own] })
    await fetchSets(app(), receiver, stream, { setErrs: { [own!]: { err: 'late' } } })
    assert.deepEqual(await states(app(), receiver), [{ state: 'acknowledged', last_error: null }])
  })

  test('a malformed poll is refused and changes nothing', async () => {
    const { receiver, stream } = await newStream(app())
    await verify(app(), receiver, stream, 'a')
    const [jti] = Object.keys((await fetchSets(app(), receiver, stream)).sets)
    const { pathname } = new URL(stream.delivery.endpoint_url)
    for (const body of [
      { maxEvents: -1 },
      { maxEvents: '1' },
      { returnImmediately: 'yes' },
      { ack: jti },
      { ack: [jti], setErrs: [] },
      { ack: [jti], setErrs: { [jti!]: 'bad' } },
      '[',
      '[]',
    ])
      assert.equal((await call(app(), receiver.token, 'POST', pathname, body)).statusCode, 400, JSON.stringify(body))
    assert.deepEqual(await states(app(), receiver), [{ state: 'waiting', last_error: null }])
    const empty = await call(app(), receiver.token, 'POST', pathname, '{"returnImmediately":true,"unknown":1}')
    assert.equal(empty.statusCode, 200)
  })

  /** A poll over a connection of its own. */
  async function poll(address: string, { token }: Receiver, { stream_id }: Stream, body: object = {}) {
    const answer = await fetch(`${address}/ssf/poll/${stream_id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as { sets: Record<string, string> } }
  }
  const waitingAt = async ({ services }: TestApp, count: number) => {
    for (let tries = 0; tries < 500 && services.waitingPolls.count() !== count; tries++) await wait(10)
    assert.equal(services.waitingPolls.count(), count)
  }

  async function listening(t: TestContext) {
    const own = await startApp(t, { engine })
    return { own, address: await own.listen(), ...(await newStream(own)) }
  }

  test('a poll waits until something happens, and 55 seconds at most', async (t) => {
    const { own, address, receiver, stream } = await listening(t)
    const person = await signedInPerson(own)
    await consentTo(own, person, receiver)
    const woken = poll(address, receiver, stream)
    await waitingAt(own, 1)
    await person.post('/api/auth/logout')
    const { status, body } = await woken
    assert.equal(status, 200)
    const [[jti, set] = []] = Object.entries(body.sets)
    assert.equal((await verifySet(own, set ?? '', receiver.clientId)).jti, jti)

    const late = poll(address, receiver, stream, { ack: [jti] })
    await waitingAt(own, 1)
    own.clock.advance(54_000)
    await own.tick()
    assert.equal(own.services.waitingPolls.count(), 1)
    own.clock.advance(1000)
    await own.tick()
    assert.deepEqual(await late, { status: 200, body: { sets: {}, moreAvailable: false } })
    await waitingAt(own, 0)
  })

  test('a poll that waits is told nothing once its client is turned off, and ends when its connection does', async (t) => {
    const { own, address, receiver, stream } = await listening(t)
    const admin = await signedInPerson(own, { admin: true })
    const waiting = poll(address, receiver, stream)
    await waitingAt(own, 1)
    await admin.patch(`/oauth/clients/${receiver.clientId}`, { disabled: true })
    assert.equal((await waiting).status, 401)
    await admin.patch(`/oauth/clients/${receiver.clientId}`, { disabled: false })
    receiver.token = await receiverToken(own, receiver)
    const { body } = await poll(address, receiver, stream)
    const ack = Object.keys(body.sets)
    assert.equal(ack.length, 2)
    const controller = new AbortController()
    const gone = fetch(`${address}/ssf/poll/${stream.stream_id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${receiver.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ack }),
      signal: controller.signal,
    }).catch(() => 'aborted')
    await waitingAt(own, 1)
    controller.abort()
    assert.equal(await gone, 'aborted')
    await waitingAt(own, 0)
  })

  test('a limited number of polls of one client waits; further ones are answered at once', async (t) => {
    const { own, address, receiver, stream } = await listening(t)
    const waiting = Array.from({ length: 8 }, () => poll(address, receiver, stream))
    await waitingAt(own, 8)
    assert.deepEqual(await poll(address, receiver, stream), { status: 200, body: { sets: {}, moreAvailable: false } })
    await verify(own, receiver, stream, 'a')
    for (const { body } of await Promise.all(waiting)) assert.equal(Object.keys(body.sets).length, 1)
  })

  test('those who wait are answered when the service stops', async (t) => {
    const { own, address, receiver, stream } = await listening(t)
    const waiting = poll(address, receiver, stream)
    await waitingAt(own, 1)
    own.services.waitingPolls.close()
    const empty = { status: 200, body: { sets: {}, moreAvailable: false } }
    assert.deepEqual(await waiting, empty)
    assert.deepEqual(await poll(address, receiver, stream), empty, 'and nobody waits after that')
  })

  test('a paused stream is not told, and goes on when it is enabled again', async (t) => {
    const { own, address, receiver, stream } = await listening(t)
    const set = (status: string) =>
      call(own, receiver.token, 'POST', '/ssf/status', { stream_id: stream.stream_id, status })
    await set('paused')
    await verify(own, receiver, stream, 'a')
    const waiting = poll(address, receiver, stream)
    await waitingAt(own, 1)
    await verify(own, receiver, stream, 'b')
    await set('enabled')
    assert.equal(Object.keys((await waiting).body.sets).length, 2)
  })
})

onEachEngine('polling on two replicas', (engine) => {
  // One process works on a SQLite file at a time.
  if (engine === 'sqlite') return

  test('a poll at one replica is woken by what happens at the other, and acknowledged at either', async (t) => {
    const one = await startApp(t, { engine })
    const two = await startApp(t, { engine, storage: one.storage, clock: one.clock })
    const { receiver, stream } = await newStream(one)
    const { pathname } = new URL(stream.delivery.endpoint_url)
    const waiting = call(one, receiver.token, 'POST', pathname, {})
    for (let tries = 0; tries < 500 && one.services.waitingPolls.count() !== 1; tries++) await wait(10)
    assert.equal(
      (await call(two, receiver.token, 'POST', '/ssf/verify', { stream_id: stream.stream_id })).statusCode,
      204,
    )
    const { sets } = (await waiting).json<{ sets: Record<string, string> }>()
    assert.equal(Object.keys(sets).length, 1)
    await fetchSets(two, receiver, stream, { ack: Object.keys(sets), maxEvents: 0 })
    assert.deepEqual(await fetchSets(one, receiver, stream), { sets: {}, moreAvailable: false })
    // The second replica learned of the RSA key by a signal.
    await verifySet(two, Object.values(sets)[0] ?? '', receiver.clientId)
  })
})
