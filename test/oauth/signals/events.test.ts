import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type AccessEvent, type AccessEvents, publish } from '../../../src/identity/access-events.ts'
import { lockUser } from '../../../src/identity/users/lock-user.ts'
import { sidOf } from '../../../src/oauth/clients/client-session.ts'
import { makeSet } from '../../../src/oauth/signals/make-set.ts'
import { ACCESS_ENDS, type AccessEnd } from '../../../src/vocabulary/access-ends.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { authorizeUrl, claimsOf, locationOf, newPkce } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import {
  call,
  type Configuration,
  consentTo,
  issSub,
  newAudience,
  newStream,
  readEvents,
  type Receiver,
} from './receiver.ts'

onEachEngine('what streams are told', (engine) => {
  const app = sharedApp({ engine })
  let receiver: Receiver
  let stream: Configuration
  let admin: SignedInPerson
  let person: SignedInPerson

  beforeEach(async () => {
    ;({ receiver, stream, admin, person } = await newAudience(app(), { password: 'correct horse battery staple' }))
  })
  const read = () => readEvents(app(), receiver, stream)
  const told = async () => (await read()).map(({ name, subject }) => ({ name, subject }))
  const oneSession = (sessionId: string) => ({
    format: 'complex',
    user: issSub(person),
    session: { format: 'opaque', id: sidOf(sessionId, receiver.clientId) },
  })

  /** Lets every area hear of it, as the rule that it comes from does. */
  const happen = <Event extends AccessEvent>(test: TestApp, name: Event, event: AccessEvents[Event]) =>
    test.services.db.transaction(async (trx) => {
      await lockUser(trx, person.user.id)
      await publish(test.services, trx, name, event)
    })

  for (const [way, { reach, signals }] of Object.entries(ACCESS_ENDS) as [
    AccessEnd,
    (typeof ACCESS_ENDS)[AccessEnd],
  ][]) {
    if (signals.length === 0) continue
    test(`${way}: ${signals.join(', ')}`, async () => {
      const userId = person.user.id
      const { services } = app()
      if (reach === 'session')
        await happen(app(), 'sessions_ended', { userId, sessionIds: ['one', 'two'], by: way as never })
      else if (way.startsWith('disabled') || way.startsWith('deleted'))
        await happen(app(), 'account_ended', { userIds: [userId], by: way as never })
      else await happen(app(), 'signed_out', { userId, by: way as never })
      const events = await read()
      const expected = (reach === 'session' ? [oneSession('one'), oneSession('two')] : [issSub(person)]).flatMap(
        (subject) => signals.map((name) => ({ name, subject })),
      )
      assert.deepEqual(
        events.map(({ name, subject }) => ({ name, subject })),
        expected,
      )
      assert.equal(new Set(events.map(({ txn }) => txn)).size, 1, 'all of one cause')
      for (const { event, name, payload } of events) {
        const { event_timestamp: at, reason_admin: reason, initiating_entity: by, ...rest } = event
        assert.equal(at, Math.floor(services.now() / 1000))
        assert.equal(payload.iat, at)
        assert.deepEqual(Object.keys(reason as object), ['en'])
        assert.match((reason as { en: string }).en, /^[A-Z].*\.$/)
        assert.ok(by === 'admin' || by === 'user')
        const change_type = way === 'address_restored' || way === 'not_me' ? 'revoke' : 'update'
        assert.deepEqual(rest, name === 'credential-change' ? { credential_type: 'password', change_type } : {})
      }
    })
  }

  test('not_me without a change of the credential, where the password stays', async () => {
    await happen(app(), 'signed_out', { userId: person.user.id, by: 'not_me', keepsPassword: true })
    assert.deepEqual(await told(), [{ name: 'session-revoked', subject: issSub(person) }])
  })

  test('signing out names the session as its ID token would', async () => {
    const { id_token } = await consentTo(app(), person, receiver)
    assert.equal(claimsOf(id_token)['sid'], sidOf(person.sessionId, receiver.clientId))
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    assert.deepEqual(await told(), [{ name: 'session-revoked', subject: oneSession(person.sessionId) }])
  })

  test('ending one session, and then all others, names each of them', async () => {
    const [second, third, fourth] = await Promise.all([1, 2, 3].map(() => signIn(app(), person.user)))
    assert.equal((await person.post(`/api/auth/sessions/${second!.sessionId}/revoke`)).statusCode, 200)
    assert.deepEqual(await told(), [{ name: 'session-revoked', subject: oneSession(second!.sessionId) }])
    assert.equal((await person.post('/api/auth/sessions/revoke-all')).statusCode, 200)
    const ended = (await told()).map(({ subject }) => JSON.stringify(subject))
    assert.deepEqual(
      ended.toSorted(),
      [third!, fourth!].map(({ sessionId }) => JSON.stringify(oneSession(sessionId))).toSorted(),
    )
  })

  test('a disable and an enable, without the reason that the administrator has given', async () => {
    const url = `/api/admin/users/${person.user.id}/lifecycle`
    const off = await admin.post(url, { action: 'disable', reason: 'Secret reason' })
    assert.equal(off.statusCode, 200, off.body)
    const rows = await app()
      .services.db.read.selectFrom('outbox_deliveries')
      .selectAll()
      .where('receiver_id', '=', receiver.clientId)
      .execute()
    assert.equal(JSON.stringify(rows).includes('Secret reason'), false)
    const subject = issSub(person)
    assert.deepEqual(await told(), [
      { name: 'session-revoked', subject },
      { name: 'account-disabled', subject },
    ])
    assert.equal((await admin.post(url, { action: 'enable' })).statusCode, 200)
    assert.deepEqual(await told(), [{ name: 'account-enabled', subject }])
  })

  test('a deletion, although the account is gone when the receiver asks', async () => {
    assert.equal((await admin.delete(`/api/admin/users/${person.user.id}`)).statusCode, 200)
    const subject = issSub(person)
    assert.deepEqual(await told(), [
      { name: 'session-revoked', subject },
      { name: 'account-purged', subject },
    ])
  })

  test('a stream gets the kinds of events that it has requested', async () => {
    const { stream_id } = stream
    const uri = stream.events_supported.find((each) => each.endsWith('/account-disabled'))
    await call(app(), receiver.token, 'PATCH', '/ssf/stream', { stream_id, events_requested: [uri] })
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    assert.deepEqual(
      (await told()).map(({ name }) => name),
      ['account-disabled'],
    )
  })

  test('a stream is told of those who have granted something, and not of others, nor of those who have taken it back', async () => {
    const stranger = await signedInPerson(app())
    await stranger.post('/api/auth/logout')
    assert.deepEqual(await told(), [])
    assert.equal((await person.delete(`/api/account/oauth/grants/${receiver.clientId}`)).statusCode, 200)
    await person.post('/api/auth/logout')
    assert.deepEqual(await told(), [])
  })

  test('with signalSubjects "all" a stream is told of everybody', async () => {
    const all = await newStream(app(), { signalSubjects: 'all' })
    const stranger = await signedInPerson(app())
    await stranger.post('/api/auth/logout')
    const [event, ...others] = await readEvents(app(), all.receiver, all.stream)
    assert.deepEqual(others, [])
    assert.deepEqual(event?.subject['user'], issSub(stranger))
  })

  test('people are named by their address where that is asked for and confirmed, as it was when it happened', async () => {
    const named = await newStream(app(), { signalSubjects: 'all', signalSubjectFormat: 'email' })
    const { db } = app().services
    const { id, email } = person.user
    const verify = (email_verified: 0 | 1) =>
      db.transaction((trx) => trx.updateTable('users').set({ email_verified }).where('id', '=', id).execute())
    await verify(0)
    await happen(app(), 'signed_out', { userId: id, by: 'signed_out_by_administrator' })
    await verify(1)
    await happen(app(), 'sessions_ended', { userId: id, sessionIds: ['one'], by: 'signed_out' })
    await admin.delete(`/api/admin/users/${id}`)
    const subjects = (await readEvents(app(), named.receiver, named.stream)).map(({ subject }) => subject)
    const user = { format: 'email', email }
    const session = { format: 'opaque', id: sidOf('one', named.receiver.clientId) }
    assert.deepEqual(subjects, [issSub(person), { format: 'complex', user, session }, user, user])
  })

  test('one client’s sid says nothing to another one', async () => {
    const other = await newStream(app())
    await consentTo(app(), person, other.receiver)
    await person.post('/api/auth/logout')
    const sidFor = async (each: typeof other): Promise<string> => {
      const [event] = await readEvents(app(), each.receiver, each.stream)
      assert.ok(event)
      return (event.subject['session'] as { id: string }).id
    }
    const [mine, theirs] = [await sidFor({ receiver, stream }), await sidFor(other)]
    assert.notEqual(mine, theirs)
    assert.equal(mine.includes(person.sessionId), false)
  })

  test('a client that is turned off is told nothing of what happens meanwhile', async () => {
    const url = `/oauth/clients/${receiver.clientId}`
    await admin.patch(url, { disabled: true })
    await person.post('/api/auth/logout')
    const rows = await app()
      .services.db.read.selectFrom('outbox_deliveries')
      .select('type')
      .where('receiver_id', '=', receiver.clientId)
      .execute()
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['stream-updated'],
    )
  })

  test('a signed event is not taken for an ID token', async () => {
    await happen(app(), 'signed_out', { userId: person.user.id, by: 'signed_out_by_administrator' })
    const [row] = await app()
      .services.db.read.selectFrom('outbox_deliveries')
      .selectAll()
      .where('receiver_id', '=', receiver.clientId)
      .execute()
    const set = await makeSet(app().services, {
      id: row!.id,
      receiverId: receiver.clientId,
      type: row!.type,
      fact: row!.fact,
      createdAt: row!.created_at,
    })
    const answer = await person.get(authorizeUrl(receiver, newPkce(), { id_token_hint: set, prompt: 'none' }))
    assert.equal(locationOf(answer).searchParams.get('error'), 'invalid_request')
  })
})
