import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { notify } from '../../src/notifications/notify.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { testSpeed } from '../support/speed.ts'
import { type EventStream, openEventStream } from './event-stream.ts'

const MB = 1024 * 1024

const tell = ({ services }: TestApp, { user }: Pick<SignedInPerson, 'user'>, name: string): Promise<void> =>
  services.db.transaction((trx) => notify(services, trx, user.id, 'security.passkey_added', { passkeyId: 'x', name }))

onEachEngine('readers that do not read', (engine) => {
  test('whatever happens meanwhile, at most a page waits for them, and they are dropped', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const { streams } = app.services
    const sink = new PassThrough({ highWaterMark: 1024 })
    await streams.open({ userId: person.user.id, sessionId: person.sessionId }, sink, undefined)
    for (let index = 0; index < 300; index++) await tell(app, person, 'x'.repeat(500))
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

  test('one that reads again gets all it had waiting, in order', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const sink = new PassThrough({ highWaterMark: 1024 })
    await app.services.streams.open({ userId: person.user.id, sessionId: person.sessionId }, sink, undefined)
    for (let index = 0; index < 200; index++) await tell(app, person, `n${index}`)
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

testSpeed('2,000 streams, 200 of them never reading: memory bounded, the others served within a second', async (t) => {
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
    for (const person of people) await tell(app, person, 'x'.repeat(2000))
  }
  await Promise.all(
    reading.map(async (stream) => {
      for (let round = 0; round < 20; round++) await stream.notification()
    }),
  )
  let took = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const started = performance.now()
    await Promise.all(people.map((person) => tell(app, person, 'last')))
    await Promise.all(reading.map((stream) => stream.notification()))
    took = Math.min(took, performance.now() - started)
  }
  const grown = (process.memoryUsage().rss - before) / MB
  t.diagnostic(`${took.toFixed(0)} ms for 1,800 streams; ${grown.toFixed(0)} MB for both ends of 2,000`)
  assert.ok(took < 1000, `${took} ms`)
  // Both ends of every connection live in this process, and what was read is kept for the comparison.
  assert.ok(grown < 600, `${grown} MB`)
})
