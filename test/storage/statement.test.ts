import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDuplicate } from '../../src/storage/failure.ts'
import { writeStatement, type Values } from '../../src/storage/statement.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const findFailures = writeStatement((db, value: Values<{ bucket: string; minFailures: number }>) =>
  db
    .selectFrom('rate_limits')
    .select('failures')
    .where('bucket', '=', value('bucket'))
    .where('failures', '>=', value('minFailures'))
    .forNoKeyUpdate(),
)

const insert = writeStatement((db, value: Values<{ bucket: string; failures: number; expires_at: number }>) =>
  db
    .insertInto('rate_limits')
    .values({ bucket: value('bucket'), failures: value('failures'), expires_at: value('expires_at') }),
)

onEachEngine('a prepared statement', (engine) => {
  const shared = sharedApp({ engine })

  test('runs with different values each time, in a transaction and without one', async () => {
    const { db } = shared().services
    await insert(db, { bucket: 'alone', failures: 1, expires_at: 1_000_000_000_000 })
    await db.transaction(async (trx) => {
      await insert(trx, { bucket: 'inside', failures: 2, expires_at: 1_000_000_000_000 })
      assert.deepEqual(await findFailures(trx, { bucket: 'inside', minFailures: 2 }), [{ failures: 2 }])
      assert.deepEqual(await findFailures(trx, { bucket: 'inside', minFailures: 3 }), [])
      assert.deepEqual(await findFailures(trx, { bucket: 'alone', minFailures: 0 }), [{ failures: 1 }])
    })
    assert.deepEqual(await findFailures(db, { bucket: 'alone', minFailures: 1 }), [{ failures: 1 }])
    assert.deepEqual(await findFailures(db, { bucket: 'inside', minFailures: 1 }), [{ failures: 2 }])
  })

  test('is rolled back with its transaction', async () => {
    const { db } = shared().services
    const undone = db.transaction(async (trx) => {
      await insert(trx, { bucket: 'undone', failures: 1, expires_at: 1_000_000_000_000 })
      throw new Error('changed my mind')
    })
    await assert.rejects(undone, /changed my mind/)
    assert.deepEqual(await findFailures(db, { bucket: 'undone', minFailures: 0 }), [])
  })

  test('is refused after the end of its transaction', async () => {
    const { db } = shared().services
    const ended = await db.transaction(async (trx) => {
      assert.deepEqual(await findFailures(trx, { bucket: 'none', minFailures: 0 }), [])
      return [trx]
    })
    for (const trx of ended) await assert.rejects(findFailures(trx, { bucket: 'none', minFailures: 0 }))
  })

  test('that nobody waits for runs before what follows it, and with its transaction', async () => {
    const { db } = shared().services
    await db.transaction(async (trx) => {
      insert.next(trx, { bucket: 'next', failures: 1, expires_at: 1_000_000_000_000 })
      assert.deepEqual(await findFailures(trx, { bucket: 'next', minFailures: 0 }), [{ failures: 1 }])
      insert.next(trx, { bucket: 'last', failures: 2, expires_at: 1_000_000_000_000 })
    })
    assert.deepEqual(await findFailures(db, { bucket: 'last', minFailures: 0 }), [{ failures: 2 }])
    const undone = db.transaction(async (trx) => {
      insert.next(trx, { bucket: 'undone next', failures: 1, expires_at: 1_000_000_000_000 })
      throw new Error('changed my mind')
    })
    await assert.rejects(undone, /changed my mind/)
    assert.deepEqual(await findFailures(db, { bucket: 'undone next', minFailures: 0 }), [])
  })

  test('that nobody waits for and that fails undoes its transaction', async () => {
    const { db } = shared().services
    const taken = { bucket: 'taken', failures: 1, expires_at: 1_000_000_000_000 }
    await insert(db, taken)
    const refused = db.transaction(async (trx) => {
      await insert(trx, { ...taken, bucket: 'beside it' })
      insert.next(trx, taken)
    })
    await assert.rejects(refused, isDuplicate)
    assert.deepEqual(await findFailures(db, { bucket: 'beside it', minFailures: 0 }), [])
  })

  test('runs in the order in which it was given, also when several are given at once', async () => {
    const { db } = shared().services
    const [before, , after] = await db.transaction((trx) =>
      Promise.all([
        findFailures(trx, { bucket: 'in order', minFailures: 0 }),
        insert(trx, { bucket: 'in order', failures: 1, expires_at: 1_000_000_000_000 }),
        findFailures(trx, { bucket: 'in order', minFailures: 0 }),
      ]),
    )
    assert.deepEqual([before, after], [[], [{ failures: 1 }]])
  })
})
