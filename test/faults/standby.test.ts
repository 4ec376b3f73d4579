import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { type Answer, sendRequest, sessionOf } from '../support/http-client.ts'
import { createDatabase, DURABLE_FLAGS, startPostgres, startStandby } from '../support/postgres.ts'
import { startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT, passwordOf } from './installation.ts'
import { assertSoundServer } from './invariants.ts'
import { figure } from './run-options.ts'

const PART = 'Standby'
/** Ten for changes, four for reads, three for what waits for locks, and one each for shared reads, shared writes, signals and the background. */
const MAX_SESSIONS = 21

/** A primary, a standby that follows it, and a replica that reaches them through an address that can lead to either. */
async function setUp(t: TestContext) {
  const primary = await startPostgres(DURABLE_FLAGS)
  t.after(primary.stop)
  await createDatabase(primary.url, 'followed')
  const standby = await startStandby(primary)
  t.after(standby.stop)
  const address = await startCuttableProxy(t, `${primary.url}/followed`)
  const replica = await startReplica(t, { databaseUrl: address.url }, { environment: ENVIRONMENT })
  const installation = await createInstallation(replica.address)
  const connect = async (url: string) => {
    const client = new pg.Client(`${url}/followed`)
    client.on('error', () => {})
    await client.connect()
    t.after(() => client.end().catch(() => {}))
    return client
  }
  return { primary, standby, address, replica, installation, connect }
}

const register = (address: string, email: string): Promise<Answer> =>
  sendRequest(address, 'POST', '/api/auth/register', { json: { email, password: passwordOf(email, 0) } })

const me = (address: string, cookie: string): Promise<Answer> => sendRequest(address, 'GET', '/api/auth/me', { cookie })

test('a standby whose replay is paused serves nobody, and a disabled person stays out', async (t) => {
  const { primary, standby, address, replica, installation, connect } = await setUp(t)
  const registered = await register(replica.address, 'leaver@example.com')
  const cookie = sessionOf(registered)
  const { id } = registered.json<{ user: { id: string } }>().user
  assert.equal((await me(replica.address, cookie)).status, 200)
  const follower = await connect(standby.url)
  await until(async () => (await follower.query('select 1 from users where id = $1', [id])).rowCount === 1)
  await follower.query('select pg_wal_replay_pause()')
  await installation.asAdmin(200, 'POST', `/api/admin/users/${id}/lifecycle`, { action: 'disable' })

  address.redirect(standby.url)
  await address.cut()
  await address.restore()
  for (let count = 0; count < 20; count++) {
    const { status } = await me(replica.address, cookie)
    assert.notEqual(status, 200, 'the standby does not know yet that the person is disabled')
  }
  assert.equal((await sendRequest(replica.address, 'GET', '/readyz')).status, 503)

  address.redirect(primary.url)
  await until(async () => (await me(replica.address, cookie)).status === 401, 10_000)
  await until(async () => (await sendRequest(replica.address, 'GET', '/readyz')).status === 200, 10_000)
})

test('when the standby is promoted, the replica serves from it, and nothing that was acknowledged is lost', async (t) => {
  const { primary, standby, address, replica, connect } = await setUp(t)
  const observer = await connect(primary.url)
  await observer.query("alter system set synchronous_standby_names = 'standby'")
  await observer.query('select pg_reload_conf()')
  const acknowledged: string[] = []
  for (let count = 0; count < 10; count++) {
    const email = `person${count}@example.com`
    const answer = await register(replica.address, email)
    if (answer.status === 201) acknowledged.push(sessionOf(answer))
  }
  assert.ok(acknowledged.length > 0)
  await primary.halt('SIGQUIT')
  const haltedAt = performance.now()
  const follower = await connect(standby.url)
  await follower.query('select pg_promote()')
  address.redirect(standby.url)
  await until(async () => (await sendRequest(replica.address, 'GET', '/readyz')).status === 200, 15_000)
  figure(t, PART, 'promoted: served again, ms after the primary was lost', performance.now() - haltedAt)
  for (const cookie of acknowledged) assert.equal((await me(replica.address, cookie)).status, 200)
  await until(async () => (await register(replica.address, 'later@example.com')).status === 201, 10_000)
  await assertSoundServer(`${standby.url}/followed`)
})

test('while a synchronous standby is lost reads go on, the sessions of the server are not used up, and no commit is cancelled', async (t) => {
  const { primary, standby, replica, connect } = await setUp(t)
  const observer = await connect(primary.url)
  await observer.query("alter system set synchronous_standby_names = 'standby'")
  await observer.query('select pg_reload_conf()')
  const registered = await register(replica.address, 'before@example.com')
  assert.equal(registered.status, 201, registered.body)
  const people = async () => Number((await observer.query('select count(*) from users')).rows[0]?.count)
  const before = await people()

  await standby.halt('SIGINT')
  let [most, refused] = [0, 0]
  const end = performance.now() + 15_000
  for (let count = 0; performance.now() < end; count++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => register(replica.address, `lost${count}x${at}@example.com`)),
    )
    for (const { status, body } of answers) assert.equal(status, 503, body)
    // A prepared read, one that was built, and whether the replica is ready.
    for (const path of ['/api/auth/me', '/api/auth/sessions', '/readyz']) {
      const { status, body } = await sendRequest(replica.address, 'GET', path, { cookie: sessionOf(registered) })
      assert.equal(status, 200, `${path}: ${body}`)
    }
    refused += answers.length
    const { rows } = await observer.query<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = current_database() and application_name like 'latchkey%'`,
    )
    most = Math.max(most, Number(rows[0]?.count))
  }
  assert.ok(most <= MAX_SESSIONS, `${most} sessions`)
  assert.equal(await people(), before, 'a commit that was not replicated is not visible')

  await standby.resume()
  await until(async () => (await register(replica.address, 'after@example.com')).status === 201, 15_000)
  assert.equal((await me(replica.address, sessionOf(registered))).status, 200)
  await assertSoundServer(`${primary.url}/followed`)
  figure(t, PART, 'synchronous standby lost: requests answered 503', refused)
  figure(t, PART, 'synchronous standby lost: most sessions of the replica', most)
})
