import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { sharedApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { countLockWaits } from '../../support/lock-waits.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { addNotification } from './add-notification.ts'
import { type StreamRequest, type EventStream, openEventStream } from './event-stream.ts'

const nameOf = async (stream: EventStream) => (await stream.notification()).data['name']

onEachEngine('the notification stream', (engine) => {
  const shared = sharedApp({ engine })
  let address: string
  before(async () => {
    address = await shared().listen()
  })
  const opened: EventStream[] = []
  after(() => opened.forEach((stream) => stream.close()))

  const open = async (person: { cookie: string }, rest: Partial<StreamRequest> = {}): Promise<EventStream> => {
    const stream = await openEventStream(address, { cookie: person.cookie, ...rest })
    opened.push(stream)
    return stream
  }
  /** Opens a stream and reads its first frame: from now on, notifications are sent through it. */
  const follow = async (person: { cookie: string }, rest: Partial<StreamRequest> = {}): Promise<EventStream> => {
    const stream = await open(person, rest)
    assert.deepEqual(await stream.next(), { retry: '3000' })
    return stream
  }

  if (engine === 'postgres') {
    test('its answer begins only when it is known where it starts: what is stored after that is sent', async (t) => {
      const person = await signedInPerson(shared())
      const { databaseUrl } = shared().storage
      const [other, observer] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)]
      await Promise.all([other.connect(), observer.connect()])
      t.after(() => Promise.all([other.end(), observer.end()]))
      await other.query('begin; lock table notifications in access exclusive mode')
      let hasBegun = false
      const opening = open(person).then((stream) => {
        hasBegun = true
        return stream
      })
      await until(async () => (await countLockWaits(observer)) > 0)
      assert.equal(hasBegun, false)
      await other.query('rollback')
      const stream = await opening
      await addNotification(shared(), person, 'after it began')
      assert.equal(await nameOf(stream), 'after it began')
    })
  }

  test('constant reconnects during a hundred notifications lose and duplicate nothing', async () => {
    const person = await signedInPerson(shared())
    await addNotification(shared(), person, 'start')
    let lastEventId: string = (await person.get('/api/notifications')).json().notifications[0].id
    const adding = Promise.all(
      Array.from({ length: 100 }, (_, index) => addNotification(shared(), person, String(index))),
    )
    const names: unknown[] = []
    while (names.length < 100) {
      const stream = await open(person, { lastEventId })
      for (let taken = 0; taken < 7 && names.length < 100; taken++) {
        const { id, data } = await stream.notification()
        lastEventId = id
        names.push(data['name'])
      }
      stream.close()
    }
    await adding
    const listed = (await person.get('/api/notifications?limit=100')).json().notifications
    assert.deepEqual(names, listed.map(({ data }: { data: { name: string } }) => data.name).toReversed())
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('starts with retry: 3000, then sends a frame for each notification with its id, event and JSON', async () => {
    const person = await signedInPerson(shared())
    const stream = await follow(person)
    assert.equal(stream.status, 200)
    assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/)
    assert.match(stream.headers['cache-control'] ?? '', /no-store/)
    assert.equal(stream.headers['x-accel-buffering'], 'no')
    assert.ok(stream.headers['x-request-id'])
    await addNotification(shared(), person, 'hello')
    const frame = await stream.next()
    const [stored] = (await person.get('/api/notifications')).json().notifications
    assert.deepEqual(frame, { id: stored.id, event: 'notification', data: frame?.data })
    assert.deepEqual(JSON.parse(frame?.data ?? ''), stored)
  })

  test('delivers an event of the service, here a disabled account to an administrator', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const other = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    const stream = await follow(other)
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    const { type, data } = await stream.notification()
    assert.equal(type, 'user.disabled')
    assert.equal(data['userId'], person.user.id)
  })

  test('a line break in the data can’t forge a frame', async () => {
    const person = await signedInPerson(shared())
    const stream = await follow(person)
    const forged = 'x\n\nid: 1\nevent: notification\ndata: {}\r\n\r\n\u2028:'
    await addNotification(shared(), person, forged)
    await addNotification(shared(), person, 'after')
    assert.equal(await nameOf(stream), forged)
    assert.equal(await nameOf(stream), 'after')
  })

  test('Last-Event-ID replays exactly the missed notifications, in order', async () => {
    const person = await signedInPerson(shared())
    const first = await follow(person)
    await addNotification(shared(), person, 'seen')
    const { id } = await first.notification()
    first.close()
    for (const name of ['missed 1', 'missed 2', 'missed 3']) await addNotification(shared(), person, name)
    for (const how of [{ lastEventId: id }, { query: `?lastEventId=${id}` }]) {
      const again = await follow(person, how)
      const live = `live ${Object.keys(how)[0]}`
      const names = [await nameOf(again), await nameOf(again), await nameOf(again)]
      await addNotification(shared(), person, live)
      assert.deepEqual([...names, await nameOf(again)].slice(0, 3), ['missed 1', 'missed 2', 'missed 3'])
      again.close()
      await shared().services.db.transaction((trx) =>
        trx.deleteFrom('notifications').where('data', 'like', `%${live}%`).execute(),
      )
    }
  })

  test('replays more missed notifications than fit on one page', async () => {
    const person = await signedInPerson(shared())
    await addNotification(shared(), person, 'seen')
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    for (let index = 0; index < 230; index++) await addNotification(shared(), person, `n${index}`)
    const stream = await follow(person, { lastEventId: id })
    for (let index = 0; index < 230; index++) assert.equal(await nameOf(stream), `n${index}`)
  })

  test('without Last-Event-ID sends new notifications only', async () => {
    const person = await signedInPerson(shared())
    await addNotification(shared(), person, 'old')
    const stream = await follow(person)
    await addNotification(shared(), person, 'new')
    assert.equal(await nameOf(stream), 'new')
  })

  test("never sends another user's notifications, even with their Last-Event-ID or a forged one", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    await addNotification(shared(), person, 'first of the other')
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    for (const lastEventId of [id, 'forged', "' or 1=1 --", '']) {
      const stream = await follow(stranger, { lastEventId })
      await addNotification(shared(), person, 'not yours')
      await addNotification(shared(), stranger, 'yours')
      assert.equal(await nameOf(stream), 'yours')
      assert.ok(!stream.received().includes('other') && !stream.received().includes('not yours'))
      stream.close()
    }
  })

  test('tells every device of a person, and nobody else, that notifications were marked read', async () => {
    const person = await signedInPerson(shared())
    const phone = await signIn(shared(), person.user)
    const stranger = await signedInPerson(shared())
    await addNotification(shared(), person, 'first')
    await addNotification(shared(), person, 'second')
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    const streams = [await follow(person), await follow(phone)]
    const other = await follow(stranger)
    await person.patch(`/api/notifications/${id}/read`)
    for (const stream of streams) assert.deepEqual(await stream.next(), { event: 'read', data: '{}' })
    await person.post('/api/notifications/read-all')
    for (const stream of streams) assert.deepEqual(await stream.next(), { event: 'read', data: '{}' })
    // When nothing was unread, or there is no such notification, nothing is told.
    await person.post('/api/notifications/read-all')
    await stranger.patch(`/api/notifications/${id}/read`)
    await addNotification(shared(), person, 'third')
    await addNotification(shared(), stranger, 'own')
    for (const stream of streams) assert.equal((await stream.next())?.event, 'notification')
    assert.equal((await other.next())?.event, 'notification')
  })

  test('ends when its session ends: by logout, by revocation, or with the account disabled or deleted', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const endings: Record<string, (person: SignedInPerson) => Promise<unknown>> = {
      'sign-out': (person) => person.post('/api/auth/logout'),
      revoked: async (person) => {
        const laptop = await signIn(shared(), person.user)
        await laptop.post(`/api/auth/sessions/${person.sessionId}/revoke`)
      },
      'revoked with all others': async (person) => {
        const laptop = await signIn(shared(), person.user)
        await laptop.post('/api/auth/sessions/revoke-all')
      },
      disabled: (person) => admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' }),
      deleted: (person) => admin.delete(`/api/admin/users/${person.user.id}`),
    }
    for (const [name, end] of Object.entries(endings)) {
      const person = await signedInPerson(shared())
      const stream = await follow(person)
      await end(person)
      assert.equal(await stream.next(), undefined, name)
    }
  })

  test('ending one session leaves the streams of the others open', async () => {
    const person = await signedInPerson(shared())
    const phone = await signIn(shared(), person.user)
    const [one, two] = [await follow(person), await follow(phone)]
    await phone.post('/api/auth/logout')
    await two.ended
    await addNotification(shared(), person, 'still here')
    assert.equal(await nameOf(one), 'still here')
  })

  test('answers HEAD with 405, and GET without a session with 401', async () => {
    const person = await signedInPerson(shared())
    const response = await shared().app.inject({
      method: 'HEAD',
      url: '/api/notifications/stream',
      headers: { cookie: `session=${person.cookie}` },
    })
    assert.equal(response.statusCode, 405)
    assert.equal((await anonymous(shared()).get('/api/notifications/stream')).statusCode, 401)
  })

  test('allows only the origin of the dashboard by CORS', async () => {
    const person = await signedInPerson(shared())
    const response = await fetch(`${address}/api/notifications/stream`, {
      headers: { cookie: `session=${person.cookie}`, origin: 'https://evil.example' },
    })
    assert.equal(response.headers.get('access-control-allow-origin'), null)
    await response.body?.cancel()
    const own = await fetch(`${address}/api/notifications/stream`, {
      headers: { cookie: `session=${person.cookie}`, origin: 'http://localhost:3000' },
    })
    assert.equal(own.headers.get('access-control-allow-origin'), 'http://localhost:3000')
    assert.equal(own.headers.get('access-control-allow-credentials'), 'true')
    await own.body?.cancel()
  })
})
