import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { StorageFailure } from '../../src/storage/failure.ts'
import { readStatement, type Values, writeStatement } from '../../src/storage/statement.ts'
import { sharedApp } from '../support/app.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/replicas.ts'

const add = writeStatement((db, value: Values<{ bucket: string; failures: number }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: value('failures'), expires_at: 1 }),
)
const raise = writeStatement((db, value: Values<{ bucket: string }>) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('bucket', '=', value('bucket'))
    .returning('failures'),
)
const find = readStatement((db, value: Values<{ bucket: string }>) =>
  db.selectFrom('rate_limits').select('failures').where('bucket', '=', value('bucket')),
)

const isKind = (kind: StorageFailure['kind']) => (error: unknown) =>
  error instanceof StorageFailure && error.kind === kind

describe('writes that arrive together, on one connection of PostgreSQL', () => {
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
  const db = () => running().services.db
  const failuresOf = async (bucket: string) => (await find(db().read, { bucket }))[0]?.failures

  test('are committed in one transaction', async () => {
    const buckets = Array.from({ length: 20 }, (_, at) => `together ${at}`)
    await add(db(), { bucket: 'first', failures: 1 })
    await Promise.all(buckets.map((bucket) => add(db(), { bucket, failures: 1 })))
    const { rows } = await observer.query(
      `select count(distinct xmin::text)::int as transactions, count(*)::int as rows from rate_limits where bucket like 'together%'`,
    )
    assert.deepEqual(rows, [{ transactions: 1, rows: 20 }])
  })

  test('one that fails fails alone', async () => {
    await add(db(), { bucket: 'taken', failures: 1 })
    const outcomes = await Promise.allSettled(
      ['before', 'taken', 'after'].map((bucket) => add(db(), { bucket, failures: 1 })),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.ok(outcomes[1]?.status === 'rejected' && isKind('duplicate')(outcomes[1].reason))
    assert.deepEqual([await failuresOf('before'), await failuresOf('after')], [1, 1])
  })

  test('one that waits for a lock does not hold up the others', async () => {
    await Promise.all(['locked', 'free'].map((bucket) => add(db(), { bucket, failures: 0 })))
    await other.query(`begin; select 1 from rate_limits where bucket = 'locked' for update`)
    const waiting = raise(db(), { bucket: 'locked' })
    // Both are in one batch, and neither is done in it.
    assert.deepEqual(await raise(db(), { bucket: 'free' }), [{ failures: 1 }])
    await until(async () => (await countLockWaits(observer)) > 0)
    await other.query('rollback')
    assert.deepEqual(await waiting, [{ failures: 1 }])
    assert.deepEqual([await failuresOf('locked'), await failuresOf('free')], [1, 1])
  })

  test('each is done once, whatever happens to the others', async () => {
    await add(db(), { bucket: 'counted', failures: 0 })
    const raised = Array.from({ length: 30 }, () => raise(db(), { bucket: 'counted' }))
    const refused = add(db(), { bucket: 'counted', failures: 0 })
    await assert.rejects(refused, isKind('duplicate'))
    const seen = (await Promise.all(raised)).map(([row]) => row?.failures).toSorted((a, b) => Number(a) - Number(b))
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, at) => at + 1),
    )
  })

  test('when the connection is lost, they are refused as unavailable, and the next ones connect again', async () => {
    await add(db(), { bucket: 'lost', failures: 0 })
    await other.query('begin; lock table rate_limits in access exclusive mode')
    let isRefused = false
    const refused = assert.rejects(raise(db(), { bucket: 'lost' }), isKind('unavailable')).then(() => {
      isRefused = true
    })
    await until(async () => {
      await observer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name in ('latchkey shared writes', 'latchkey pool') and wait_event_type = 'Lock'`,
      )
      return isRefused
    })
    await refused
    await other.query('rollback')
    assert.deepEqual(await raise(db(), { bucket: 'lost' }), [{ failures: 1 }])
  })
})
