import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createLogger } from '../../src/platform/http/log.ts'
import type { Reader } from '../../src/storage/database.ts'
import { isDuplicate, isUnavailable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { translate } from '../../src/storage/postgres/errors.ts'
import { PROGRAMS } from '../../src/storage/postgres/session.ts'
import { type Values, writeStatement } from '../../src/storage/statement.ts'
import { startApp } from '../support/app.ts'
import { createStorage, type TestStorage } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'
import { until } from '../support/replicas.ts'

const add = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: 0, expires_at: 1 }),
)
const raise = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.updateTable('rate_limits').set({ failures: 1 }).where('bucket', '=', value('bucket')),
)

const log = createLogger('silent')

async function setUp(t: TestContext) {
  const storage = await createStorage('postgres')
  // Two connections, because one in a transaction sees a fixed snapshot of pg_stat_activity.
  const [outside, observer] = [new pg.Client(storage.databaseUrl), new pg.Client(storage.databaseUrl)]
  for (const client of [outside, observer]) await client.connect()
  t.after(async () => {
    for (const client of [outside, observer]) await client.end()
    await storage.remove()
  })
  const isWaiting = async (forMs: number): Promise<boolean> => {
    const { rowCount } = await observer.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and clock_timestamp() - query_start >= make_interval(secs => $1)`,
      [forMs / 1000],
    )
    return (rowCount ?? 0) > 0
  }
  return { storage, outside, isWaiting }
}

const open = async (t: TestContext, { databaseUrl }: TestStorage) => {
  const engine = await openStorage(databaseUrl, log, 0)
  t.after(engine.close)
  return engine
}

test('every session of the service has its own time limits, whatever the settings of the database', async (t) => {
  const { storage, outside } = await setUp(t)
  const name = new URL(storage.databaseUrl).pathname.slice(1)
  for (const setting of ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'])
    await outside.query(`alter database ${name} set ${setting} = 0`)
  const { db } = await open(t, storage)
  const settings = sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout',
      'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout')`
  const found = async (on: Reader) =>
    Object.fromEntries((await settings.execute(on)).rows.map(({ name: key, setting }) => [key, setting]))
  const others = {
    statement_timeout: '3250',
    idle_in_transaction_session_timeout: '5000',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '3',
    tcp_keepalives_count: '3',
    tcp_user_timeout: '10000',
  }
  assert.deepEqual(await db.transaction(found), { ...others, lock_timeout: '100' }, 'tried first')
  assert.deepEqual(await found(db.read), { ...others, lock_timeout: '25' })
  await add(db, { bucket: 'locked' })
  await outside.query(`begin; select 1 from rate_limits for update`)
  let tries = 0
  const again = db.transaction(async (trx) => {
    if (++tries === 1) await raise(trx, { bucket: 'locked' })
    return found(trx)
  })
  assert.deepEqual(await again, { ...others, lock_timeout: '3000' }, 'after waiting for a lock')
  await outside.query('rollback')
})

test('every session of the service has a name that no older version gave, whatever name DATABASE_URL gives', async (t) => {
  const { storage, outside } = await setUp(t)
  const databaseUrl = `${storage.databaseUrl}?application_name=latchkey`
  const { db } = await open(t, { ...storage, databaseUrl })
  const one = { name: '', sql: 'select 1' } as never
  await Promise.all([
    sql`select 1`.execute(db.read),
    sql`select 1`.execute(db.background),
    db.read.run(one, []),
    db.run(one, []),
    db.transaction((trx) => trx.run(one, [])),
  ])
  const listNames = async () => {
    const { rows } = await outside.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
        where datname = current_database() and application_name like 'latchkey%' order by 1`,
    )
    return rows.map(({ name }) => name).join()
  }
  await until(async () => (await listNames()).includes(PROGRAMS.signals))
  const { pool, sharedReads, sharedWrites, signals } = PROGRAMS
  assert.equal(await listNames(), [pool, sharedReads, sharedWrites, signals].toSorted().join())
})

test('closing ends every session, whatever the service has used', async (t) => {
  const { storage, outside } = await setUp(t)
  const one = { name: '', sql: 'select 1' } as never
  const uses: Record<string, (db: Awaited<ReturnType<typeof openStorage>>['db']) => Promise<unknown>> = {
    nothing: async () => {},
    'a transaction': (db) => db.transaction((trx) => trx.run(one, [])),
    'a read that was built': (db) => sql`select 1`.execute(db.read),
    'a prepared read': (db) => db.read.run(one, []),
    'a prepared write': (db) => db.run(one, []),
    'a read that was built, in the background': (db) => sql`select 1`.execute(db.background),
    'a prepared read in the background': (db) => db.background.run(one, []),
  }
  for (const use of Object.values(uses)) {
    const { db, close } = await openStorage(storage.databaseUrl, log, 0)
    await use(db)
    await close()
    // The server lists a session until its process has ended, a moment after its connection was closed.
    await until(async () => {
      const { rowCount } = await outside.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name like 'latchkey%'`,
      )
      return rowCount === 0
    }, 5000)
  }
})

test('a statement in the background may take longer than one that a request waits for, and closing does not wait for it', async (t) => {
  const { storage, outside } = await setUp(t)
  const { db, close } = await openStorage(storage.databaseUrl, log, 0)
  const { rows } = await sql<{ limit: string }>`show statement_timeout`.execute(db.background)
  assert.deepEqual(Object.values(rows[0] ?? {}), ['1min'])
  const longer = sql`select pg_sleep(3.6)`
  await Promise.all([longer.execute(db.background), assert.rejects(longer.execute(db.read), isUnavailable)])

  const endless = assert.rejects(sql`select pg_sleep(50)`.execute(db.background), isUnavailable)
  await until(async () => {
    const { rowCount } = await outside.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  })
  const began = performance.now()
  await close()
  assert.ok(performance.now() - began < 5000)
  await endless
})

test('a change that waits too long for a row answers 503 with Retry-After, and is not executed later', async (t) => {
  const { storage, outside, isWaiting } = await setUp(t)
  const app = await startApp(t, { engine: 'postgres', timeoutFactor: 1, storage })
  const person = await signedInPerson(app)
  await outside.query('begin')
  await outside.query('select 1 from users where id = $1 for update', [person.user.id])
  const began = performance.now()
  const response = await person.patch('/api/account/profile', { displayName: 'Late' })
  assert.equal(response.statusCode, 503, response.body)
  assert.ok(Number(response.headers['retry-after']) > 0)
  assert.ok(performance.now() - began < 5000)
  await outside.query('commit')
  const profile = await person.get('/api/account/profile')
  assert.equal(profile.json<{ displayName: string | null }>().displayName, null)
  assert.equal(await isWaiting(0), false, 'no statement is left on the server')
})

test('a statement that takes too long is cancelled by the server, and its session stays usable', async (t) => {
  const { storage } = await setUp(t)
  const { kysely } = await open(t, storage)
  await kysely.connection().execute(async (connection) => {
    const backend = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows[0]?.pid
    const before = await backend()
    await assert.rejects(sql`select pg_sleep(60)`.execute(connection), isUnavailable)
    assert.equal(await backend(), before)
  })
})

test('the commit of a transaction with a failed statement is rejected', async (t) => {
  const { storage } = await setUp(t)
  const { db } = await open(t, storage)
  const row = { name: 'first', next_run_at: 1 }
  const attempt = db.transaction(async (trx) => {
    await trx.insertInto('background_jobs').values(row).execute()
    // The code ignores a failure that has aborted the transaction.
    await assert.rejects(trx.insertInto('background_jobs').values(row).execute(), (error) => isDuplicate(error))
  })
  await assert.rejects(attempt, isUnavailable)
  assert.deepEqual(await db.read.selectFrom('background_jobs').selectAll().execute(), [])
})

test('a starting replica waits for another one to migrate, however short the timeouts of the database are', async (t) => {
  const { storage, outside, isWaiting } = await setUp(t)
  const name = new URL(storage.databaseUrl).pathname.slice(1)
  for (const setting of ['lock_timeout', 'statement_timeout'])
    await outside.query(`alter database ${name} set ${setting} = '1s'`)
  await outside.query('begin')
  await outside.query('lock table schema_migrations in access exclusive mode')
  const opening = openStorage(storage.databaseUrl, log, 0)
  t.after(() => opening.then(({ close }) => close()))
  await until(() => isWaiting(1500), 10_000)
  await outside.query('commit')
  assert.ok(await opening)
})

test('errors about timeouts, conflicts and lost connections count as unavailable', () => {
  for (const code of ['55P03', '57014', '25P03', '25P04', '40001', '40P01', '57P01', '53300', '08006']) {
    const error = Object.assign(new pg.DatabaseError('message', 0, 'error'), { code })
    assert.ok(isUnavailable(translate(error)), code)
  }
  const other = Object.assign(new pg.DatabaseError('message', 0, 'error'), { code: '42601' })
  assert.ok(!isUnavailable(translate(other)))
})
