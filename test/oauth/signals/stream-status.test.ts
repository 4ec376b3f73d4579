import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import {
  call,
  consentTo,
  createStream,
  fetchSets,
  newReceiver,
  newStream,
  readEvents,
  receiverToken,
} from './receiver.ts'

onEachEngine('the status of a stream of shared signals', (engine) => {
  const app = sharedApp({ engine })

  test('a stream is verified: the state comes back, with the stream as its subject', async () => {
    const { receiver, stream } = await newStream(app())
    const { stream_id } = stream
    const asked = await call(app(), receiver.token, 'POST', '/ssf/verify', { stream_id, state: 'abc' })
    assert.deepEqual([asked.statusCode, asked.body], [204, ''])
    await call(app(), receiver.token, 'POST', '/ssf/verify', { stream_id })
    const events = await readEvents(app(), receiver, stream)
    assert.deepEqual(
      events.map(({ name, subject, event }) => ({ name, subject, event })),
      [{ state: 'abc' }, {}].map((event) => ({
        name: 'verification',
        subject: { format: 'opaque', id: stream_id },
        event,
      })),
    )
  })

  test('what happens while a stream is paused is kept, and what happens while it is disabled is not', async () => {
    const { receiver, stream } = await newStream(app())
    const { stream_id } = stream
    const set = (status: string) =>
      call(app(), receiver.token, 'POST', '/ssf/status', { stream_id, status, reason: 'why' })
    const verify = () => call(app(), receiver.token, 'POST', '/ssf/verify', { stream_id })
    const status = async () =>
      (await call(app(), receiver.token, 'GET', `/ssf/status?stream_id=${stream_id}`)).json<object>()
    assert.deepEqual(await status(), { stream_id, status: 'enabled' })
    assert.deepEqual((await set('paused')).json(), { stream_id, status: 'paused', reason: 'why' })
    assert.deepEqual(await status(), { stream_id, status: 'paused' })
    await verify()
    assert.deepEqual(await fetchSets(app(), receiver, stream), { sets: {}, moreAvailable: false })
    await set('enabled')
    assert.equal((await readEvents(app(), receiver, stream)).length, 1)
    await verify()
    await set('disabled')
    assert.equal((await verify()).statusCode, 400)
    await set('enabled')
    assert.deepEqual(await readEvents(app(), receiver, stream), [])
    assert.equal((await set('off')).statusCode, 400)
  })

  test('a client that an administrator turns off and on is told so, and its tokens of before are dead', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { receiver, stream } = await newStream(app())
    const turn = (disabled: boolean) => admin.patch(`/oauth/clients/${receiver.clientId}`, { disabled })
    assert.equal((await turn(true)).statusCode, 200)
    assert.equal((await call(app(), receiver.token, 'GET', '/ssf/stream')).statusCode, 401)
    await turn(false)
    receiver.token = await receiverToken(app(), receiver)
    const events = await readEvents(app(), receiver, stream)
    assert.deepEqual(
      events.map(({ name, event, subject }) => [name, event['status'], subject]),
      ['disabled', 'enabled'].map((status) => ['stream-updated', status, { format: 'opaque', id: stream.stream_id }]),
    )
  })

  test('when the scopes of a client are taken away, or it is deleted, its stream is gone and nothing waits', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const left = async (clientId: string) =>
      (
        await app()
          .services.db.read.selectFrom('outbox_deliveries')
          .select(['state', 'last_error'])
          .where('receiver_id', '=', clientId)
          .execute()
      ).map(({ state, last_error }) => [state, last_error])
    const narrowed = await newStream(app())
    await call(app(), narrowed.receiver.token, 'POST', '/ssf/verify', { stream_id: narrowed.stream.stream_id })
    const { clientId } = narrowed.receiver
    assert.equal((await admin.patch(`/oauth/clients/${clientId}`, { scopes: ['openid'] })).statusCode, 200)
    assert.deepEqual(await left(clientId), [['given_up', 'The client may not have a stream any more.']])
    assert.equal((await call(app(), narrowed.receiver.token, 'GET', '/ssf/stream')).statusCode, 403)
    await admin.patch(`/oauth/clients/${clientId}`, { scopes: ['openid', 'ssf.read', 'ssf.manage'] })
    assert.deepEqual((await call(app(), narrowed.receiver.token, 'GET', '/ssf/stream')).json(), [])

    const deleted = await newStream(app())
    await call(app(), deleted.receiver.token, 'POST', '/ssf/verify', { stream_id: deleted.stream.stream_id })
    assert.equal((await admin.delete(`/oauth/clients/${deleted.receiver.clientId}`)).statusCode, 200)
    assert.deepEqual(await left(deleted.receiver.clientId), [['given_up', 'The client was deleted.']])
  })

  test('what happens at the moment at which a pushed stream is paused is held too', async () => {
    const receiver = await newReceiver(app())
    const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://receiver.example/events' }
    const { stream_id } = await createStream(app(), receiver, { delivery })
    const people = await Promise.all(Array.from({ length: 12 }, () => signedInPerson(app())))
    for (const person of people) await consentTo(app(), person, receiver)
    const pause = () => call(app(), receiver.token, 'POST', '/ssf/status', { stream_id, status: 'paused' })
    const answers = await Promise.all(
      people.flatMap((person, n) => [...(n === 6 ? [pause()] : []), person.post('/api/auth/logout')]),
    )
    for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
    const rows = await app()
      .services.db.read.selectFrom('outbox_deliveries')
      .select(['state', 'next_attempt_at'])
      .where('receiver_id', '=', receiver.clientId)
      .execute()
    assert.equal(rows.length, people.length)
    for (const row of rows) assert.deepEqual(row, { state: 'waiting', next_attempt_at: null })
  })
})
