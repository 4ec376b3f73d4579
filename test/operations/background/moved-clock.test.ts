import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientCache } from '../../../src/oauth/clients/client-cache.ts'
import { createTicker } from '../../../src/operations/background/ticker.ts'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import { openEventStream } from '../../identity/notifications/event-stream.ts'
import { startApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PASSWORD = 'correct horse battery staple'

onEachEngine('when the system clock is changed', (engine) => {
  test('a job that ran while the clock was far ahead or far behind runs again as soon as the clock is correct', async (t) => {
    const { services, clock } = await startApp(t, { engine })
    let runs = 0
    const job = { name: 'periodic', everyMs: MINUTE, run: async () => void runs++ }
    const replicas = [createTicker(services, [job]), createTicker(services, [job])]
    const tickAll = () => Promise.all(replicas.map((replica) => replica.tick()))
    const expectRuns = async (count: number, why: string) => {
      runs = 0
      await tickAll()
      assert.equal(runs, count, why)
    }
    await expectRuns(1, 'at first')
    clock.adjust(400 * DAY)
    await expectRuns(1, 'ahead')
    clock.adjust(-400 * DAY)
    await expectRuns(1, 'correct again')
    await expectRuns(0, 'within its interval')
    clock.advance(MINUTE)
    await expectRuns(1, 'a minute later')
    clock.adjust(-400 * DAY)
    await expectRuns(1, 'behind')
    await expectRuns(0, 'within its interval')
    clock.adjust(400 * DAY)
    await expectRuns(1, 'correct again after being behind')
  })

  test('one start with the clock 400 days ahead does not stop later sweeps', async (t) => {
    const ahead = await startApp(t, { engine })
    ahead.clock.adjust(400 * DAY)
    await ahead.tick()
    await ahead.close()
    ahead.clock.adjust(-400 * DAY)
    const { services, tick } = await startApp(t, { engine, storage: ahead.storage, clock: ahead.clock })
    const { db, now } = services
    await db.transaction((trx) =>
      trx
        .insertInto('passkey_challenges')
        .values({ id: 'old', user_id: null, challenge: 'x', expires_at: now() - 1, created_at: 0 })
        .execute(),
    )
    await tick()
    assert.deepEqual(await db.read.selectFrom('passkey_challenges').select('id').execute(), [])
  })

  test('failed logins counted while the clock was ahead lock nobody out once it is correct', async (t) => {
    const app = await startApp(t, { engine })
    const email = 'locked@example.com'
    await signedInPerson(app, { email, password: PASSWORD })
    const login = (password: string) => anonymous(app).post('/api/auth/login', { email, password })
    app.clock.adjust(400 * DAY)
    for (let count = 0; count < 10; count++) assert.equal((await login('wrong')).statusCode, 401)
    assert.equal((await login(PASSWORD)).statusCode, 429)
    app.clock.adjust(-400 * DAY)
    assert.equal((await login(PASSWORD)).statusCode, 200)
    const restarted = await startApp(t, { engine, storage: await closeApp(app), clock: app.clock })
    assert.equal((await anonymous(restarted).post('/api/auth/login', { email, password: PASSWORD })).statusCode, 200)
    // Failures are counted from zero again.
    for (let count = 0; count < 10; count++) {
      const { statusCode } = await anonymous(restarted).post('/api/auth/login', { email, password: 'wrong' })
      assert.equal(statusCode, 401)
    }
    assert.equal((await anonymous(restarted).post('/api/auth/login', { email, password: PASSWORD })).statusCode, 429)
  })

  test('a clock slightly behind that of another replica allows no further password guesses', async (t) => {
    const app = await startApp(t, { engine })
    const email = 'guessed@example.com'
    await signedInPerson(app, { email, password: PASSWORD })
    const guess = () => anonymous(app).post('/api/auth/login', { email, password: 'wrong' })
    for (let count = 0; count < 10; count++) assert.equal((await guess()).statusCode, 401)
    app.clock.adjust(-MINUTE)
    assert.equal((await guess()).statusCode, 429)
  })

  test('a session used while the clock was ahead expires 12 idle hours after its next use', async (t) => {
    const app = await startApp(t, { engine })
    const { db } = app.services
    const person = await signedInPerson(app)
    await db.transaction((trx) =>
      trx.updateTable('sessions').set({ remembered: 0 }).where('id', '=', person.sessionId).execute(),
    )
    app.clock.adjust(20 * HOUR)
    await db.transaction((trx) =>
      trx
        .updateTable('sessions')
        .set({ last_used_at: app.clock.now(), expires_at: app.clock.now() + 4 * HOUR })
        .where('id', '=', person.sessionId)
        .execute(),
    )
    app.clock.adjust(-20 * HOUR)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    app.clock.advance(12 * HOUR)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('notification streams still send heartbeats and check their sessions', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const stream = await openEventStream(await app.listen(), { cookie: person.cookie })
    t.after(() => stream.close())
    await stream.next()
    app.clock.adjust(-10 * DAY)
    app.clock.advance(25_000)
    await app.tick()
    assert.deepEqual(await stream.next(), { comment: '' })
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('sessions').where('user_id', '=', person.user.id).execute(),
    )
    app.clock.adjust(-10 * DAY)
    app.clock.advance(3000)
    await app.tick()
    await stream.ended
  })

  test('values cached in memory do not live longer because the clock was set back', async (t) => {
    const app = await startApp(t, { engine })
    const { services, clock } = app
    const admin = await signedInPerson(app, { admin: true })
    const { clientId } = await registerApplication(app)
    const cache = createClientCache(services)
    const activeUsers = async () => {
      const response = await admin.get('/api/admin/overview')
      return response.json<Overview>().users.active
    }
    assert.equal((await cache.find(clientId))?.name, 'Example')
    const before = Number(await activeUsers())
    // Changed in the table directly, as if the signal that refreshes the cache was lost.
    await services.db.transaction((trx) =>
      trx.updateTable('oauth_clients').set({ name: 'Changed' }).where('client_id', '=', clientId).execute(),
    )
    await signedInPerson(app)
    clock.adjust(-DAY)
    assert.equal((await cache.find(clientId))?.name, 'Example')
    clock.advance(5000)
    assert.equal((await cache.find(clientId))?.name, 'Changed')
    assert.equal(await activeUsers(), before + 1)
  })
})

/** Closes the app, and returns its database and data folder for the next one. */
async function closeApp(app: Awaited<ReturnType<typeof startApp>>) {
  await app.close()
  return app.storage
}
