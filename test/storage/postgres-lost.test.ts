import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { createLogger } from '../../src/platform/http/log.ts'
import { isUnavailable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createPostgresSignals } from '../../src/storage/postgres/signals.ts'
import { type Values, writeStatement } from '../../src/storage/statement.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { createMigratedStorage } from '../support/engines.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { until } from '../support/replicas.ts'
import { startTamperingProxy } from '../support/tampering-proxy.ts'

const add = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: 0, expires_at: 1 }),
)
const raise = writeStatement((db, value: Values<{ bucket: string }>) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('bucket', '=', value('bucket'))
    .returning('failures'),
)

const log = createLogger('silent')

/** An engine whose connections to PostgreSQL lead through a proxy. */
async function setUp<P extends { url: string }>(
  t: TestContext,
  startProxy: (t: TestContext, target: string) => Promise<P>,
) {
  const storage = await createMigratedStorage('postgres')
  const proxy = await startProxy(t, storage.databaseUrl)
  const engine = await openStorage(proxy.url, log, 0)
  t.after(async () => {
    await engine.close()
    await storage.remove()
  })
  const failuresOf = async (bucket: string) => {
    const query = engine.db.read.selectFrom('rate_limits').select('failures').where('bucket', '=', bucket)
    return (await query.execute())[0]?.failures
  }
  return { proxy, db: engine.db, failuresOf, storage }
}

test('a write whose connection is lost before its answer is refused, and never done twice', async (t) => {
  const { proxy, db, failuresOf } = await setUp(t, startTamperingProxy)
  await add(db, { bucket: 'counted' })
  proxy.replaceNext('UPDATE 1')
  await assert.rejects(raise(db, { bucket: 'counted' }), isUnavailable)
  assert.equal(await failuresOf('counted'), 1)
  assert.deepEqual(await raise(db, { bucket: 'counted' }), [{ failures: 2 }])
})

test('after a message that the driver does not know nothing is done twice, and the connection is closed', async (t) => {
  const { proxy, db, failuresOf } = await setUp(t, startTamperingProxy)
  const UNKNOWN = Buffer.from([0x78, 0, 0, 0, 4])
  const before = (answer: Buffer) => Buffer.concat([UNKNOWN, answer])
  await add(db, { bucket: 'counted' })
  proxy.replaceNext('UPDATE 1', before)
  await assert.rejects(raise(db, { bucket: 'counted' }), isUnavailable)
  assert.equal(await failuresOf('counted'), 1)
  proxy.replaceNext('UPDATE 1', before)
  await assert.rejects(
    db.transaction((trx) => raise(trx, { bucket: 'counted' })),
    isUnavailable,
  )
  assert.equal(await failuresOf('counted'), 1, 'it was undone')
  assert.deepEqual(await raise(db, { bucket: 'counted' }), [{ failures: 2 }])
})

test('connections whose path is lost are replaced as soon as a statement on them is not answered', async (t) => {
  const { proxy, db } = await setUp(t, startCuttableProxy)
  const readAll = () => Array.from({ length: 4 }, () => db.read.selectFrom('roles').select('name').execute())
  const changeAll = () =>
    Array.from({ length: 10 }, () =>
      db.transaction((trx) => trx.selectFrom('roles').select('name').forUpdate().execute()),
    )
  const all = () => [...readAll(), ...changeAll()]
  await Promise.all(all())
  proxy.stall()
  await Promise.all(all().map((each) => assert.rejects(each, isUnavailable)))
  await Promise.all(all())
})

test('commits that are not answered keep their places until the server answers them', async (t) => {
  const server = await startPostgres()
  const databaseUrl = await createDatabase(server.url, 'unanswered')
  const engine = await openStorage(databaseUrl, log, 0)
  const { db } = engine
  const [outside, probe] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)]
  await Promise.all([outside.connect(), probe.connect()])
  t.after(async () => {
    await Promise.all([outside.end(), probe.end()])
    await engine.close()
    await server.stop()
  })
  const configure = async (change: string) => {
    await outside.query(`alter system ${change}`)
    await outside.query('select pg_reload_conf()')
  }
  const countWaiting = async () =>
    (await outside.query(`select 1 from pg_stat_activity where wait_event = 'SyncRep'`)).rowCount ?? 0
  const sessions = async () => {
    const { rowCount } = await outside.query(
      `select 1 from pg_stat_activity where application_name in ('latchkey pool', 'latchkey shared writes')`,
    )
    return rowCount ?? 0
  }
  const unanswered = () => engine.load().pool?.unanswered
  const commit = (number: number) => db.transaction((trx) => add(trx, { bucket: `commit ${number}` }))
  const isRefused = (change: Promise<unknown>) => assert.rejects(change, isUnavailable)
  await add(db, { bucket: 'first' })
  await configure("set synchronous_standby_names = 'nobody'")
  // Until the server has read it, commits are answered.
  const probes = new AbortController()
  const probing = (async () => {
    while (!probes.signal.aborted) await probe.query(`comment on table roles is 'probed'`)
  })()
  await until(async () => (await countWaiting()) === 1)
  probes.abort()
  const first = [add(db, { bucket: 'shared' }), ...Array.from({ length: 10 }, (_, number) => commit(number))]
  const refused = Promise.all(first.map(isRefused))
  await refused
  assert.equal(await countWaiting(), 1 + first.length)
  assert.equal(unanswered(), first.length)
  // They find no place, and nothing is opened for them.
  await Promise.all([isRefused(commit(10)), isRefused(commit(11)), isRefused(add(db, { bucket: 'late' }))])
  assert.ok((await sessions()) <= first.length, `${await sessions()} sessions`)
  // Reads need none of these places.
  assert.deepEqual(await db.read.selectFrom('roles').select('name').execute(), [])

  await configure('reset synchronous_standby_names')
  await until(async () => unanswered() === 0)
  await probing
  await Promise.all([add(db, { bucket: 'later' }), commit(12)])
  const { rows } = await outside.query<{ count: number }>('select count(*)::int as count from rate_limits')
  assert.deepEqual(rows, [{ count: first.length + 3 }], 'each once, and none of those that found no place')
})

test('closing while the connection for signals is being refused leaves none open', async (t) => {
  const storage = await createMigratedStorage('postgres')
  const outside = new pg.Client(storage.databaseUrl)
  await outside.connect()
  t.after(async () => {
    await outside.end()
    await storage.remove()
  })
  const name = new URL(storage.databaseUrl).pathname.slice(1)
  await outside.query(`alter database ${name} set default_transaction_read_only = on`)
  const others = async () => {
    const { rowCount } = await outside.query(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return rowCount ?? 0
  }
  const settings = { connectionString: storage.databaseUrl }
  const signals = createPostgresSignals(settings, {
    log,
    timeoutFactor: 1,
    maxSessionMs: 60_000,
    watch: async () => {},
  })
  await signals.close()
  await until(async () => (await others()) === 0, 5000)
})
