import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { MIGRATIONS, type Migration } from '../../src/storage/migrations/all.ts'
import { OLDER_PROGRAMS, PROGRAMS } from '../../src/storage/postgres/session.ts'
import { migratePostgres } from '../../src/storage/postgres/start.ts'
import { createMigratedStorage } from '../support/engines.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/replicas.ts'

const ADDED: Migration = {
  name: '9999-added',
  up: async (db) => void (await sql`alter table rate_limits add column added_later text`.execute(db)),
}

/** A statement must finish within the time that is given to it, however busy the machine is. */
const PATIENT = { timeoutFactor: 100 }

async function setUp(t: TestContext) {
  const storage = await createMigratedStorage('postgres')
  const clients: pg.Client[] = []
  t.after(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await storage.remove()
  })
  /** A session of that name, which stands for one of a replica. */
  const open = async (program: string) => {
    const client = new pg.Client({ connectionString: storage.databaseUrl, application_name: program })
    client.on('error', () => {})
    await client.connect()
    clients.push(client)
    const isAlive = () =>
      client.query('select 1').then(
        () => true,
        () => false,
      )
    return { client, isAlive }
  }
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const migrate = (
    migrations: readonly Migration[],
    { connectionString = storage.databaseUrl, timeoutFactor = 1 } = {},
  ) => migratePostgres(storage.databaseUrl, { connectionString }, { log, now: 1, timeoutFactor, migrations })
  return { storage, open, lines, migrate }
}

test('a migration ends the sessions of 0.2, which could not use their statements any more, and no others', async (t) => {
  const { open, lines, migrate } = await setUp(t)
  const older = await Promise.all(OLDER_PROGRAMS.map(open))
  const others = await Promise.all([...Object.values(PROGRAMS), 'psql'].map(open))
  await migrate(MIGRATIONS)
  for (const { isAlive } of older) assert.equal(await isAlive(), true, 'nothing was changed')
  await migrate([...MIGRATIONS, ADDED])
  for (const { isAlive } of older) assert.equal(await isAlive(), false)
  for (const { isAlive } of others) assert.equal(await isAlive(), true)
  assert.match(lines.join(), /Ended the database sessions of older replicas/)
})

test('a session in the middle of a statement is left to finish it, and one that waits for the migration is ended', async (t) => {
  const { open, migrate } = await setUp(t)
  const [busy, waiting, observer] = await Promise.all([open('latchkey reads'), open('latchkey'), open('psql')])
  const finishing = busy.client.query('select pg_sleep(0.2)')
  let blocked: Promise<unknown> | undefined
  const blocking: Migration = {
    name: ADDED.name,
    async up(db) {
      await ADDED.up(db)
      blocked = waiting.client.query('select * from rate_limits')
      blocked.catch(() => {})
      await until(async () => (await countLockWaits(observer.client)) === 1)
    },
  }
  await migrate([...MIGRATIONS, blocking], PATIENT)
  await finishing
  await assert.rejects(async () => blocked, { code: '57P01' })
  assert.equal(await busy.isAlive(), false)
})

test('a session in the middle of a statement that computes is left to finish it', async (t) => {
  const { open, migrate } = await setUp(t)
  const [busy, observer] = await Promise.all([open('latchkey'), open('psql')])
  let finishing: Promise<pg.QueryResult> | undefined
  const meanwhile: Migration = {
    name: ADDED.name,
    async up(db) {
      await ADDED.up(db)
      finishing = busy.client.query('select count(*) from generate_series(1, 2000000)')
      finishing.catch(() => {})
      await until(async () => {
        const { rowCount } = await observer.client.query(
          `select 1 from pg_stat_activity where state = 'active' and query like '%generate_series(1, 2000000)' and datname = current_database()`,
        )
        return rowCount === 1
      })
    },
  }
  await migrate([...MIGRATIONS, meanwhile], PATIENT)
  assert.deepEqual((await finishing)?.rows, [{ count: '2000000' }])
  assert.equal(await busy.isAlive(), false)
})

test('a migration ends no session of its own, whatever name DATABASE_URL gives it', async (t) => {
  const { storage, lines, migrate } = await setUp(t)
  await migrate([...MIGRATIONS, ADDED], { connectionString: `${storage.databaseUrl}?application_name=latchkey` })
  assert.doesNotMatch(lines.join(), /could not be ended/)
})

test('a session that does not end its transaction holds a migration up for a moment only', async (t) => {
  const { open, migrate } = await setUp(t)
  const { client, isAlive } = await open('latchkey')
  await client.query('begin')
  await migrate([...MIGRATIONS, ADDED])
  assert.equal(await isAlive(), false)
})

test('where the sessions of another role may not be ended, the migration is done, and a warning says what to do', async (t) => {
  const { storage, open, lines, migrate } = await setUp(t)
  const older = await open('latchkey')
  const { client } = await open('psql')
  const role = new URL(storage.databaseUrl).pathname.slice(1).replace('test_', 'role_')
  await client.query(`create role ${role} login; alter table rate_limits owner to ${role};
    grant create on schema public to ${role}; grant all on schema_migrations to ${role}`)
  const url = new URL(storage.databaseUrl)
  url.username = role
  try {
    await migrate([...MIGRATIONS, ADDED], { connectionString: url.href })
    await client.query('select added_later from rate_limits')
  } finally {
    await client.query(`drop owned by ${role}; drop role ${role}`)
  }
  assert.equal(await older.isAlive(), true)
  assert.match(lines.join(), /sessions of older replicas could not be ended/)
})
