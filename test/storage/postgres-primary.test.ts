import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { createLogger } from '../../src/platform/http/log.ts'
import { isUnavailable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { fateOf } from '../../src/storage/postgres/errors.ts'
import { readStatement, type Values, writeStatement } from '../../src/storage/statement.ts'
import { ADMIN_ROLE } from '../../src/vocabulary/built-in-roles.ts'
import { createMigratedStorage } from '../support/engines.ts'
import { until } from '../support/replicas.ts'

const roleById = readStatement((db, value: Values<{ id: string }>) =>
  db.selectFrom('roles').select('name').where('id', '=', value('id')),
)
const add = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: 0, expires_at: 1 }),
)

async function setUp(t: TestContext, maxSessionMs?: number) {
  const storage = await createMigratedStorage('postgres')
  const outside = new pg.Client(storage.databaseUrl)
  await outside.connect()
  const engine = await openStorage(storage.databaseUrl, createLogger('silent'), 0, { timeoutFactor: 5, maxSessionMs })
  t.after(async () => {
    await engine.close()
    await outside.end()
    await storage.remove()
  })
  const name = new URL(storage.databaseUrl).pathname.slice(1)
  const sessions = async (program: string) => {
    const { rows } = await outside.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
      [program],
    )
    return rows.map(({ pid }) => pid)
  }
  return { ...engine, outside, name, sessions }
}

const uses = ({ db }: Awaited<ReturnType<typeof setUp>>) => ({
  'a shared read': () => roleById(db.read, { id: ADMIN_ROLE }),
  'a read that was built': () => db.read.selectFrom('roles').select('name').execute(),
  'a read in the background': () => db.background.selectFrom('roles').select('name').execute(),
  'a shared write': () => add(db, { bucket: 'shared' }),
  'a transaction': () => db.transaction((trx) => add(trx, { bucket: 'transaction' })),
})

test('a session that can only be read serves nothing, not even a read: what a standby knows may be old', async (t) => {
  const engine = await setUp(t)
  const { outside, name } = engine
  await outside.query(`alter database ${name} set default_transaction_read_only = on`)
  await outside.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'latchkey%'`,
  )
  for (const [use, run] of Object.entries(uses(engine))) await assert.rejects(run, isUnavailable, use)
  await outside.query('set transaction_read_only = off')
  await outside.query(`begin read write; alter database ${name} reset default_transaction_read_only; commit`)
  for (const run of Object.values(uses(engine))) await run()
})

test('a connection on which a write is refused as read-only is closed, and the write runs on another', async (t) => {
  const { db, sessions } = await setUp(t)
  await add(db, { bucket: 'first' })
  const before = await sessions('latchkey shared writes')
  await db.run({ name: '', sql: 'set default_transaction_read_only = on' } as never, [])
  await add(db, { bucket: 'second' })
  await add(db, { bucket: 'third' })
  const after = await sessions('latchkey shared writes')
  assert.equal(after.length, 1)
  assert.notDeepEqual(after, before)
})

test('every connection is replaced after a time, and no statement fails by it', async (t) => {
  const { db, sessions } = await setUp(t, 300)
  const programs = ['latchkey shared reads', 'latchkey shared writes', 'latchkey pool']
  const seen = new Map(programs.map((program) => [program, new Set<number>()]))
  let count = 0
  await until(async () => {
    await Promise.all([
      roleById(db.read, { id: ADMIN_ROLE }),
      add(db, { bucket: `write ${++count}` }),
      db.transaction((trx) => add(trx, { bucket: `transaction ${count}` })),
    ])
    for (const [program, pids] of seen) for (const pid of await sessions(program)) pids.add(pid)
    return [...seen.values()].every(({ size }) => size > 3)
  })
})

test('after a pause no connection is used that is older than it may become', async (t) => {
  const maxSessionMs = 300
  const { db, outside } = await setUp(t, maxSessionMs)
  const AGE = `extract(epoch from clock_timestamp() - backend_start)::float8 * 1000 as age`
  const ownAge = `select ${AGE} from pg_stat_get_activity(pg_backend_pid())`
  const own = { name: '', sql: ownAge } as never
  const listening = `select ${AGE} from pg_stat_activity
    where datname = current_database() and application_name = 'latchkey signals' order by backend_start desc limit 1`
  const ages: Record<string, () => Promise<unknown[]>> = {
    'a shared read': () => db.read.run(own, []),
    'a read that was built': async () => (await sql.raw(ownAge).execute(db.read)).rows,
    'a read in the background': () => db.background.run(own, []),
    'a shared write': () => db.run(own, []),
    'a transaction': () => db.transaction((trx) => trx.run(own, [])),
    signals: async () => (await outside.query(listening)).rows,
  }
  const readAll = () => Promise.all(Object.values(ages).map((read) => read()))
  await readAll()
  const pauseMs = 5 * maxSessionMs
  await setTimeout(pauseMs)
  const found = (await readAll()).map(([row]) => (row as { age: number } | undefined)?.age ?? 0)
  for (const [at, use] of Object.keys(ages).entries())
    assert.ok(Number(found[at]) < pauseMs, `${use} used a connection of before the pause: ${found[at]} ms`)
})

test('the end of a session is recognised by its code, whatever the language of the server', () => {
  const failure = (code: string, severity: string) =>
    Object.assign(new pg.DatabaseError('…', 0, 'error'), { code, severity })
  for (const code of ['57P01', '57P02', '57P04', '57P05', '25P03', '25P04', '08P01'])
    assert.equal(fateOf(failure(code, '致命错误')), 'lost', code)
  for (const code of ['23505', '55P03', '57014', '40P01', '42703', '53100', '25006'])
    assert.equal(fateOf(failure(code, 'ERREUR')), 'refused', code)
})
