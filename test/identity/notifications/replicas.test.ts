import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { startApp } from '../../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { type Replica, REAL_CLOCK, startReplica } from '../../support/replicas.ts'
import { assertWithin } from '../../support/speed.ts'
import { addNotification } from './add-notification.ts'
import { type EventStream, openEventStream } from './event-stream.ts'

async function setUp(t: TestContext) {
  const app = await startApp(t, { engine: 'postgres', clock: REAL_CLOCK })
  const [one, two] = await Promise.all([startReplica(t, app.storage), startReplica(t, app.storage)])
  const admin = await signedInPerson(app, { admin: true })
  const person = await signedInPerson(app)
  const open = async ({ address }: Replica, { cookie }: SignedInPerson): Promise<EventStream> => {
    const stream = await openEventStream(address, { cookie })
    t.after(() => stream.close())
    await stream.next()
    return stream
  }
  const post = (replica: Replica, { cookie }: SignedInPerson, path: string, body?: unknown) =>
    fetch(replica.address + path, {
      method: 'POST',
      headers: { cookie: `session=${cookie}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { app, one, two, admin, person, open, post }
}

test('a notification reaches the streams of its user on every replica', async (t) => {
  const { one, two, admin, person, open, post } = await setUp(t)
  const streams = [await open(one, admin), await open(two, admin)]
  await post(one, admin, `/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
  for (const stream of streams) {
    const { type, data } = await stream.notification()
    assert.equal(type, 'user.disabled')
    assert.equal(data['userId'], person.user.id)
  }
})

test('what is marked read on one replica is told to the streams on every replica', async (t) => {
  const { app, one, two, person, open, post } = await setUp(t)
  await addNotification(app, person, 'unread')
  const streams = [await open(one, person), await open(two, person)]
  await post(one, person, '/api/notifications/read-all')
  for (const stream of streams) assert.deepEqual(await stream.next(), { event: 'read', data: '{}' })
})

test('a session that ends on one replica ends its streams on every other one within a second', async (t) => {
  const { one, two, admin, person, open, post } = await setUp(t)
  const stream = await open(two, person)
  await post(one, admin, `/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
  const started = performance.now()
  await stream.ended
  assertWithin(1000, performance.now() - started)
  const again = await open(two, admin)
  await post(one, admin, '/api/auth/logout')
  await again.ended
})

test('a notification stored while a replica has lost its connection for signals is still delivered', async (t) => {
  const { app, one, person, open } = await setUp(t)
  const stream = await open(one, person)
  const database = new pg.Client(app.storage.databaseUrl)
  await database.connect()
  const cut = await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'latchkey signals'`)
  await database.end()
  assert.ok((cut.rowCount ?? 0) > 0)
  await addNotification(app, person, 'while disconnected')
  assert.equal((await stream.notification()).data['name'], 'while disconnected')
})

test('SIGTERM closes the streams, and the process exits with code 0', async (t) => {
  const { one, admin, person, open } = await setUp(t)
  const streams = [await open(one, admin), await open(one, person)]
  const started = performance.now()
  assert.equal(await one.stop(), 0, one.output())
  assertWithin(9000, performance.now() - started)
  for (const stream of streams) await stream.ended
})

test('a stream that reconnects to another replica after a crash continues where it was', async (t) => {
  const { app, one, two, person, open } = await setUp(t)
  const first = await open(one, person)
  await addNotification(app, person, 'seen')
  const { id } = await first.notification()
  await one.kill()
  await first.ended
  await addNotification(app, person, 'missed')
  const second = await openEventStream(two.address, { cookie: person.cookie, lastEventId: id })
  t.after(() => second.close())
  assert.equal((await second.notification()).data['name'], 'missed')
  await addNotification(app, person, 'live')
  assert.equal((await second.notification()).data['name'], 'live')
})
