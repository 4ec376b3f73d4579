import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { testSpeed } from '../../support/speed.ts'
import { addNotification } from './add-notification.ts'
import { type EventStream, openEventStream } from './event-stream.ts'

const MB = 1024 * 1024

onMainEngine('stream clients that do not read', (engine) => {
  test('have at most one page of notifications buffered, and are disconnected after 30 seconds', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const { streams } = app.services
    const sink = new PassThrough({ highWaterMark: 1024 })
    await streams.open({ userId: person.user.id, sessionId: person.sessionId }, sink, undefined)
    for (let index = 0; index < 300; index++) await addNotification(app, person, 'x'.repeat(500))
    assert.ok(sink.readableLength + sink.writableLength < 100_000)
    app.clock.advance(29_999)
    await app.tick()
    assert.equal(streams.count(), 1)
    app.clock.advance(1)
    await app.tick()
    assert.equal(sink.destroyed, true)
    if (!sink.closed) await once(sink, 'close')
    assert.equal(streams.count(), 0)
  })

  test('are told once that notifications were marked read, however often that was', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const sink = new PassThrough({ highWaterMark: 64 })
    await app.services.streams.open({ userId: person.user.id, sessionId: person.sessionId }, sink, undefined)
    await addNotification(app, person, 'x'.repeat(500))
    while (sink.writableLength === 0) await setImmediate()
    const [{ id }] = (await person.get('/api/notifications')).json().notifications
    for (let index = 0; index < 20; index++) await person.patch(`/api/notifications/${id}/read`)
    await addNotification(app, person, 'last')
    let text = ''
    sink.setEncoding('utf8')
    for await (const chunk of sink as AsyncIterable<string>) {
      text += chunk
      if (text.includes('event: read')) break
    }
    assert.ok(text.includes('"last"'))
    assert.equal(text.split('event: read').length, 2)
  })

  test('receive all pending notifications in order when they read again', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const sink = new PassThrough({ highWaterMark: 1024 })
    await app.services.streams.open({ userId: person.user.id, sessionId: person.sessionId }, sink, undefined)
    for (let index = 0; index < 200; index++) await addNotification(app, person, `n${index}`)
    let text = ''
    sink.setEncoding('utf8')
    for await (const chunk of sink as AsyncIterable<string>) {
      text += chunk
      if (text.includes('"n199"')) break
    }
    const names = [...text.matchAll(/"name":"(n\d+)"/g)].map(([, name]) => name)
    assert.deepEqual(
      names,
      Array.from({ length: 200 }, (_, index) => `n${index}`),
    )
  })
})

testSpeed(
  'with 2,000 streams of which 200 never read, memory is bounded and the others are served within a second',
  async (t) => {
    const app = await startApp(t, { engine: 'sqlite' })
    const address = await app.listen()
    const people: SignedInPerson[] = []
    for (let index = 0; index < 100; index++) people.push(await signedInPerson(app))
    const reading: EventStream[] = []
    const idle: EventStream[] = []
    t.after(() => [...reading, ...idle].forEach((stream) => stream.close()))
    const before = process.memoryUsage().rss
    for (const person of people) {
      const opened = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          openEventStream(address, { cookie: person.cookie, reading: index >= 2 }),
        ),
      )
      idle.push(...opened.slice(0, 2))
      reading.push(...opened.slice(2))
      await Promise.all(opened.slice(2).map((stream) => stream.next()))
    }
    assert.equal(app.services.streams.count(), 2000)
    for (let round = 0; round < 20; round++) {
      for (const person of people) await addNotification(app, person, 'x'.repeat(2000))
    }
    await Promise.all(
      reading.map(async (stream) => {
        for (let round = 0; round < 20; round++) await stream.notification()
      }),
    )
    let took = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      const started = performance.now()
      await Promise.all(people.map((person) => addNotification(app, person, 'last')))
      await Promise.all(reading.map((stream) => stream.notification()))
      took = Math.min(took, performance.now() - started)
    }
    const grownMb = (process.memoryUsage().rss - before) / MB
    t.diagnostic(`${took.toFixed(0)} ms for 1,800 streams; ${grownMb.toFixed(0)} MB for both ends of 2,000`)
    assert.ok(took < 1000, `${took} ms`)
    // This process holds both ends of every connection, and all that was received.
    assert.ok(grownMb < 600, `${grownMb} MB`)
  },
)
