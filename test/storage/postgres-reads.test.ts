import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { isUnavailable, StorageFailure } from '../../src/storage/failure.ts'
import { MAX_SESSION_MS } from '../../src/storage/postgres/session.ts'
import { createSharedReads, SLOW_READ_MS } from '../../src/storage/postgres/shared-connection.ts'
import { createBatchSender, queryOf } from '../../src/storage/postgres/statement-batch.ts'
import { readStatement, type Values } from '../../src/storage/statement.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../support/app.ts'
import { until } from '../support/replicas.ts'

const roleById = readStatement((db, value: Values<{ id: string }>) =>
  db.selectFrom('roles').select('name').where('id', '=', value('id')),
)
const anyCounter = readStatement((db) => db.selectFrom('counters').select('name').limit(1))

describe('reads on one connection of PostgreSQL', () => {
  // Before the app removes its database.
  after(() => Promise.all([other.end(), observer.end()]))
  const running = sharedApp({ engine: 'postgres' })
  let other: pg.Client
  /** Sees what happens meanwhile: a transaction sees a fixed snapshot of it. */
  let observer: pg.Client
  before(async () => {
    ;[other, observer] = [new pg.Client(running().storage.databaseUrl), new pg.Client(running().storage.databaseUrl)]
    await Promise.all([other.connect(), observer.connect()])
  })
  const read = (id = ADMIN_ROLE) => roleById(running().services.db.read, { id })
  const connections = async () => {
    const { rows } = await observer.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'latchkey shared reads'`,
    )
    return rows.map(({ pid }) => pid)
  }

  test('many at once are answered each with its own rows', async () => {
    const found = await Promise.all(
      Array.from({ length: 100 }, () => [ADMIN_ROLE, USER_ROLE, 'unknown'].map((id) => read(id))).flat(),
    )
    const names = found.map(([row]) => row?.name)
    assert.deepEqual(names, Array.from({ length: 100 }, () => ['admin', 'user', undefined]).flat())
    assert.equal((await connections()).length, 1)
  })

  test('one that takes longer than a moment does not hold up those that come later', async () => {
    await read()
    await other.query('begin; lock table counters in access exclusive mode')
    const slow = anyCounter(running().services.db.read, {})
    const sent = performance.now()
    await until(async () => performance.now() - sent > SLOW_READ_MS)
    const answered = await Promise.all(Array.from({ length: 50 }, () => read()))
    assert.ok(answered.every(([row]) => row?.name === 'admin'))
    await other.query('rollback')
    assert.equal((await slow).length, 1)
  })

  test('when the connection is lost, the reads on it are refused as unavailable, and the next ones connect again', async () => {
    await read()
    const [pid] = await connections()
    await other.query('begin; lock table counters in access exclusive mode')
    const slow = anyCounter(running().services.db.read, {})
    const refused = assert.rejects(slow, (error) => error instanceof StorageFailure && error.kind === 'unavailable')
    await observer.query('select pg_terminate_backend($1)', [pid])
    await refused
    await other.query('rollback')
    assert.equal((await read())[0]?.name, 'admin')
    assert.notDeepEqual(await connections(), [pid])
  })

  test('while the server does not answer a new connection, those that come later run alone, instead of waiting for the next attempt', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => silent.close())
    const accepted = once(silent, 'connection')
    const { port } = silent.address() as AddressInfo
    const run = async () => ({ rows: [{ from: 'the pool' }], tag: 'SELECT 1' })
    const reads = createSharedReads({
      createClient: () => new pg.Client({ host: '127.0.0.1', port }),
      timeoutFactor: 1,
      maxSessionMs: MAX_SESSION_MS,
      send: createBatchSender(),
      alone: { run, runPatiently: run },
    })
    const first = assert.rejects(reads.run(queryOf('select 1', [])), isUnavailable)
    const [socket] = await accepted
    // A socket that is closed with unread data resets the connection, which is another error.
    await once(socket, 'data')
    assert.deepEqual(await reads.run(queryOf('select 2', [])), [{ from: 'the pool' }])
    socket.destroy()
    await first
    await reads.close()
  })

  test('a statement that fails fails alone', async () => {
    const broken = readStatement((db) =>
      db
        .selectFrom('roles')
        .select((eb) => eb.lit(1).as('one'))
        .where('nothing' as never, '=', 1 as never),
    )
    const outcomes = await Promise.allSettled([read(), broken(running().services.db.read, {}), read()])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
