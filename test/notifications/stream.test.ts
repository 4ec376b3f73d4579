import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { notify } from '../../src/notifications/notify.ts'
import { sharedApp, startApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../support/people.ts'
import { type StreamRequest, type EventStream, openEventStream } from './event-stream.ts'

const HOUR = 3_600_000

const tell = async ({ services }: TestApp, { user }: Pick<SignedInPerson, 'user'>, name: string): Promise<void> => {
  await services.db.transaction((trx) =>
    notify(services, trx, user.id, 'security.passkey_added', { passkeyId: name, name }),
  )
}

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
  /** Opened and at its place: what is told from now on is told through it. */
  const follow = async (person: { cookie: string }, rest: Partial<StreamRequest> = {}): Promise<EventStream> => {
    const stream = await open(person, rest)
    assert.deepEqual(await stream.next(), { retry: '3000' })
    return stream
  }

  test('begins with retry: 3000, then a frame each with id, event and the notification as JSON', async () => {
    const person = await signedInPerson(shared())
    const stream = await follow(person)
    assert.equal(stream.status, 200)
    assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/)
    assert.match(stream.headers['cache-control'] ?? '', /no-store/)
    assert.equal(stream.headers['x-accel-buffering'], 'no')
    assert.ok(stream.headers['x-request-id'])
    await tell(shared(), person, 'hello')
    const frame = await stream.next()
    const [stored] = (await person.get('/api/notifications')).json().notifications
    assert.deepEqual(frame, { id: stored.id, event: 'notification', data: frame?.data })
    assert.deepEqual(JSON.parse(frame?.data ?? ''), stored)
  })

  test('an event of the service itself arrives: an administrator hears of a disabled account', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const other = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    const stream = await follow(other)
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    const { type, data } = await stream.notification()
    assert.equal(type, 'user.disabled')
    assert.equal(data['userId'], person.user.id)
  })

  test('a newline in data forges no frame', async () => {
    const person = await signedInPerson(shared())
    const stream = await follow(person)
    const forged = 'x\n\nid: 1\nevent: notification\ndata: {}\r\n\r\n\u2028:'
    await tell(shared(), person, forged)
    await tell(shared(), person, 'after')
    assert.equal(await nameOf(stream), forged)
    assert.equal(await nameOf(stream), 'after')
  })

  test('Last-Event-ID replays exactly what was missed, in order', async () => {
    const person = await signedInPerson(shared())
    const first = await follow(person)
    await tell(shared(), person, 'seen')
    const { id } = await first.notification()
    first.close()
    for (const name of ['missed 1', 'missed 2', 'missed 3']) await tell(shared(), person, name)
    for (const how of [{ lastEventId: id }, { query: `?lastEventId=${id}` }]) {
      const again = await follow(person, how)
      const live = `live ${Object.keys(how)[0]}`
      const names = [await nameOf(again), await nameOf(again), await nameOf(again)]
      await tell(shared(), person, live)
      assert.deepEqual([...names, await nameOf(again)].slice(0, 3), ['missed 1', 'missed 2', 'missed 3'])
      again.close()
      await shared().services.db.transaction((trx) =>
        trx.deleteFrom('notifications').where('data', 'like', `%${live}%`).execute(),
      )
    }
  })

  test('a long absence is replayed page by page', async () => {
    const person = await signedInPerson(shared())
    await tell(shared(), person, 'seen')
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    for (let index = 0; index < 230; index++) await tell(shared(), person, `n${index}`)
    const stream = await follow(person, { lastEventId: id })
    for (let index = 0; index < 230; index++) assert.equal(await nameOf(stream), `n${index}`)
  })

  test('without Last-Event-ID it begins at the present', async () => {
    const person = await signedInPerson(shared())
    await tell(shared(), person, 'old')
    const stream = await follow(person)
    await tell(shared(), person, 'new')
    assert.equal(await nameOf(stream), 'new')
  })

  test("nobody sees another's events, also with their Last-Event-ID or a forged one", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    await tell(shared(), person, 'first of the other')
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    for (const lastEventId of [id, 'forged', "' or 1=1 --", '']) {
      const stream = await follow(stranger, { lastEventId })
      await tell(shared(), person, 'not yours')
      await tell(shared(), stranger, 'yours')
      assert.equal(await nameOf(stream), 'yours')
      assert.ok(!stream.received().includes('other') && !stream.received().includes('not yours'))
      stream.close()
    }
  })

  test('reconnecting all the time under a hundred events loses and doubles nothing', async () => {
    const person = await signedInPerson(shared())
    await tell(shared(), person, 'start')
    let lastEventId: string = (await person.get('/api/notifications')).json().notifications[0].id
    const telling = Promise.all(Array.from({ length: 100 }, (_, index) => tell(shared(), person, String(index))))
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
    await telling
    const listed = (await person.get('/api/notifications?limit=100')).json().notifications
    assert.deepEqual(names, listed.map(({ data }: { data: { name: string } }) => data.name).toReversed())
  })

  test('it ends when its session ends: sign-out, revoked elsewhere, disabled, deleted', async () => {
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
    await tell(shared(), person, 'still here')
    assert.equal(await nameOf(one), 'still here')
  })

  test('HEAD opens no stream', async () => {
    const person = await signedInPerson(shared())
    const response = await shared().app.inject({
      method: 'HEAD',
      url: '/api/notifications/stream',
      headers: { cookie: `session=${person.cookie}` },
    })
    assert.equal(response.statusCode, 405)
    assert.equal((await anonymous(shared()).get('/api/notifications/stream')).statusCode, 401)
  })

  test('the dashboard of another origin is told so by CORS as everywhere else', async () => {
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

onEachEngine('a notification stream over time', (engine) => {
  const start = async (t: TestContext) => {
    const app = await startApp(t, { engine })
    const address = await app.listen()
    const person = await signedInPerson(app)
    const open = async (rest: Partial<StreamRequest> = {}) => {
      const stream = await openEventStream(address, { cookie: person.cookie, ...rest })
      t.after(() => stream.close())
      if (rest.reading !== false) await stream.next()
      return stream
    }
    return { app, address, person, open }
  }

  test('a comment every 25 seconds', async (t) => {
    const { app, person, open } = await start(t)
    const stream = await open()
    app.clock.advance(24_999)
    await app.tick()
    await tell(app, person, 'before')
    assert.equal(await nameOf(stream), 'before')
    for (let beat = 0; beat < 3; beat++) {
      app.clock.advance(beat === 0 ? 1 : 25_000)
      await app.tick()
      assert.deepEqual(await stream.next(), { comment: '' })
    }
  })

  test('it ends when its session expires, and when it lies idle', async (t) => {
    const { app, person, open } = await start(t)
    const remembered = await open()
    const { db } = app.services
    const idle = await signIn(app, person.user)
    await db.transaction((trx) =>
      trx.updateTable('sessions').set({ remembered: 0 }).where('id', '=', idle.sessionId).execute(),
    )
    const second = await open({ cookie: idle.cookie })
    app.clock.advance(12 * HOUR + 1)
    await app.tick()
    await second.ended
    app.clock.advance(30 * 24 * HOUR)
    await app.tick()
    await remembered.ended
  })

  test('a lost signal is made up for within seconds', async (t) => {
    const { app, person, open } = await start(t)
    const stream = await open()
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('sessions').where('user_id', '=', person.user.id).execute(),
    )
    app.clock.advance(3000)
    await app.tick()
    await stream.ended
  })

  test('the twenty-first stream of a user closes the oldest', async (t) => {
    const { app, person, open } = await start(t)
    const streams: EventStream[] = []
    for (let index = 0; index < 21; index++) streams.push(await open())
    await streams[0]?.ended
    assert.equal(app.services.streams.count(), 20)
    await tell(app, person, 'for the rest')
    for (const stream of streams.slice(1)) assert.equal(await nameOf(stream), 'for the rest')
  })

  test('a stream that its browser closed is forgotten', async (t) => {
    const { app, open } = await start(t)
    const stream = await open()
    assert.equal(app.services.streams.count(), 1)
    stream.close()
    while (app.services.streams.count() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('stopping the service ends every stream at once', async (t) => {
    const { app, open } = await start(t)
    const streams = [await open(), await open()]
    await app.close()
    for (const stream of streams) assert.equal(await stream.next(), undefined)
  })
})
