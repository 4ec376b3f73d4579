import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { ping } from '../../src/storage/database.ts'
import { isUnavailable } from '../../src/storage/failure.ts'
import { readStatement, type Values, writeStatement } from '../../src/storage/statement.ts'
import { ADMIN_ROLE } from '../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../support/app.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/replicas.ts'

const roleById = readStatement((db, value: Values<{ id: string }>) =>
  db.selectFrom('roles').select('name').where('id', '=', value('id')),
)
const anyCounter = readStatement((db) => db.selectFrom('counters').select('name').limit(1))
const raise = writeStatement((db, value: Values<{ bucket: string }>) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('bucket', '=', value('bucket'))
    .returning('failures'),
)
const add = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: 0, expires_at: 1 }),
)

/** More than all connections of a replica. */
const MANY = 40
const MAX_PATIENT = 3

describe('statements and transactions that wait for a lock on PostgreSQL', () => {
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

  /** Runs work of other people. */
  async function whileOthersWork(isSettled: () => boolean): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const bucket = `stranger ${round} ${Math.random()}`
      const [roles, built] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, () => roleById(db().read, { id: ADMIN_ROLE }))),
        db().read.selectFrom('roles').select('name').where('id', '=', ADMIN_ROLE).execute(),
        ping(db().read),
        add(db(), { bucket }),
        db().transaction((trx) => add(trx, { bucket: `${bucket} in a transaction` })),
      ])
      assert.ok([...roles.flat(), ...built].every(({ name }) => name === 'admin'))
    }
    assert.equal(isSettled(), false, 'nobody has waited for the lock to be released')
  }

  async function lockedOut(statements: Promise<unknown>[], unlock: string): Promise<void> {
    let settled = 0
    const outcomes = Promise.allSettled(
      statements.map((each) =>
        each.catch((error: unknown) => {
          // Those that find no place among the few that may wait are refused.
          if (!isUnavailable(error)) throw error
          return undefined
        }),
      ),
    )
    for (const each of statements) void each.then(() => settled++).catch(() => {})
    await until(async () => (await countLockWaits(observer)) >= MAX_PATIENT)
    await whileOthersWork(() => settled > 0)
    // Each has been given up once, on one of the other connections.
    await until(async () => (await countLockWaits(observer)) === MAX_PATIENT)
    assert.equal(settled, 0)
    await other.query(unlock)
    assert.ok((await outcomes).every(({ status }) => status === 'fulfilled'))
    assert.ok(settled >= MAX_PATIENT)
    assert.equal(await countLockWaits(observer), 0)
  }

  test('for a table leave everybody else alone, and take three connections', async () => {
    await other.query('begin; lock table counters in access exclusive mode')
    const prepared = Array.from({ length: MANY }, () => anyCounter(db().read, {}))
    const built = Array.from({ length: MANY }, () => db().read.selectFrom('counters').select('name').execute())
    await lockedOut([...prepared, ...built], 'rollback')
  })

  test('for a row leave everybody else alone, and take three connections', async () => {
    await add(db(), { bucket: 'locked' })
    await other.query(`begin; select 1 from rate_limits where bucket = 'locked' for update`)
    await lockedOut(
      Array.from({ length: MANY }, () => raise(db(), { bucket: 'locked' })),
      'rollback',
    )
  })

  test('in a transaction leave everybody else alone, and take three connections', async () => {
    await add(db(), { bucket: 'held' })
    await other.query(`begin; select 1 from rate_limits where bucket = 'held' for update`)
    const transactions = Array.from({ length: MANY }, () => db().transaction((trx) => raise(trx, { bucket: 'held' })))
    await lockedOut(transactions, 'rollback')
    const [row] = await db().read.selectFrom('rate_limits').select('failures').where('bucket', '=', 'held').execute()
    const committed = (await Promise.allSettled(transactions)).filter(({ status }) => status === 'fulfilled').length
    assert.equal(row?.failures, committed, 'each was committed once, or refused')
  })

  test('are done again from the beginning of their transaction, which is committed once', async () => {
    await add(db(), { bucket: 'again' })
    await other.query(`begin; select 1 from rate_limits where bucket = 'again' for update`)
    let [tries, commits] = [0, 0]
    const waiting = db().transaction(async (trx) => {
      tries++
      trx.afterCommit(() => commits++)
      await add(trx, { bucket: 'beside it' })
      return raise(trx, { bucket: 'again' })
    })
    await until(async () => tries === 2 && (await countLockWaits(observer)) === 1)
    await other.query('rollback')
    assert.deepEqual(await waiting, [{ failures: 1 }])
    assert.deepEqual([tries, commits], [2, 1])
  })

  test('do not delay the statements that were sent with them', async () => {
    await other.query('begin; lock table counters in access exclusive mode')
    let isAnswered = false
    const waiting = anyCounter(db().read, {}).then(() => (isAnswered = true))
    const strangers = await Promise.all(Array.from({ length: 10 }, () => roleById(db().read, { id: ADMIN_ROLE })))
    assert.ok(strangers.every(([row]) => row?.name === 'admin'))
    await until(async () => (await countLockWaits(observer)) === 1)
    assert.equal(isAnswered, false)
    await other.query('rollback')
    await waiting
  })
})
