import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, signIn } from '../../support/people.ts'
import { addNotification } from './add-notification.ts'
import { type StreamRequest, type EventStream, openEventStream } from './event-stream.ts'

const HOUR = 3_600_000

const nameOf = async (stream: EventStream) => (await stream.notification()).data['name']

onMainEngine('a notification stream over time', (engine) => {
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

  test('sends a comment every 25 seconds', async (t) => {
    const { app, person, open } = await start(t)
    const stream = await open()
    app.clock.advance(24_999)
    await app.tick()
    await addNotification(app, person, 'before')
    assert.equal(await nameOf(stream), 'before')
    for (let beat = 0; beat < 3; beat++) {
      app.clock.advance(beat === 0 ? 1 : 25_000)
      await app.tick()
      assert.deepEqual(await stream.next(), { comment: '' })
    }
  })

  test('ends when its session expires or reaches its idle limit', async (t) => {
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

  test('ends within seconds even if the signal that its session ended is lost', async (t) => {
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
    await addNotification(app, person, 'for the rest')
    for (const stream of streams.slice(1)) assert.equal(await nameOf(stream), 'for the rest')
  })

  test('is removed when its client closes the connection', async (t) => {
    const { app, open } = await start(t)
    const stream = await open()
    assert.equal(app.services.streams.count(), 1)
    stream.close()
    while (app.services.streams.count() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('ends immediately when the service stops', async (t) => {
    const { app, open } = await start(t)
    const streams = [await open(), await open()]
    await app.close()
    for (const stream of streams) assert.equal(await stream.next(), undefined)
  })
})
