import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDuplicate } from '../../../src/storage/failure.ts'
import { type Values, writeStatement } from '../../../src/storage/statement.ts'
import { addByStatement, names, type Open } from './open.ts'

const EXPIRES_AT = 1_000_000_000_000

const findFailures = writeStatement((db, value: Values<{ bucket: string; minFailures: number }>) =>
  db
    .selectFrom('rate_limits')
    .select('failures')
    .where('bucket', '=', value('bucket'))
    .where('failures', '>=', value('minFailures'))
    .forNoKeyUpdate(),
)

const insert = writeStatement((db, value: Values<{ bucket: string; failures: number }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: value('failures'), expires_at: EXPIRES_AT }),
)

/** Compiled once, and run with other values each time. */
export function statements(open: Open): void {
  test('a write statement runs alone or in a transaction', async (t) => {
    const { db } = await open(t)
    assert.deepEqual(await addByStatement(db, { name: 'alone' }), [{ name: 'alone' }])
    assert.deepEqual(await names(db.read), ['alone'])
    await db.transaction(async (trx) => {
      assert.deepEqual(await addByStatement(trx, { name: 'together' }), [{ name: 'together' }])
      assert.deepEqual(await names(db.read), ['alone'])
    })
    assert.deepEqual(await names(db.read), ['alone', 'together'])
    await assert.rejects(addByStatement(db, { name: 'alone' }), (error) => isDuplicate(error))
  })

  test('it runs with different values each time, in a transaction and without one', async (t) => {
    const { db } = await open(t)
    await insert(db, { bucket: 'alone', failures: 1 })
    await db.transaction(async (trx) => {
      await insert(trx, { bucket: 'inside', failures: 2 })
      assert.deepEqual(await findFailures(trx, { bucket: 'inside', minFailures: 2 }), [{ failures: 2 }])
      assert.deepEqual(await findFailures(trx, { bucket: 'inside', minFailures: 3 }), [])
      assert.deepEqual(await findFailures(trx, { bucket: 'alone', minFailures: 0 }), [{ failures: 1 }])
    })
    assert.deepEqual(await findFailures(db, { bucket: 'alone', minFailures: 1 }), [{ failures: 1 }])
    assert.deepEqual(await findFailures(db, { bucket: 'inside', minFailures: 1 }), [{ failures: 2 }])
  })

  test('it is rolled back with its transaction', async (t) => {
    const { db } = await open(t)
    const undone = db.transaction(async (trx) => {
      await insert(trx, { bucket: 'undone', failures: 1 })
      throw new Error('changed my mind')
    })
    await assert.rejects(undone, /changed my mind/)
    assert.deepEqual(await findFailures(db, { bucket: 'undone', minFailures: 0 }), [])
  })

  test('it is refused after the end of its transaction', async (t) => {
    const { db } = await open(t)
    const ended = await db.transaction(async (trx) => {
      assert.deepEqual(await findFailures(trx, { bucket: 'none', minFailures: 0 }), [])
      return [trx]
    })
    for (const trx of ended) await assert.rejects(findFailures(trx, { bucket: 'none', minFailures: 0 }))
  })

  test('one that nobody waits for runs before what follows it, and with its transaction', async (t) => {
    const { db } = await open(t)
    await db.transaction(async (trx) => {
      insert.next(trx, { bucket: 'next', failures: 1 })
      assert.deepEqual(await findFailures(trx, { bucket: 'next', minFailures: 0 }), [{ failures: 1 }])
      insert.next(trx, { bucket: 'last', failures: 2 })
    })
    assert.deepEqual(await findFailures(db, { bucket: 'last', minFailures: 0 }), [{ failures: 2 }])
    const undone = db.transaction(async (trx) => {
      insert.next(trx, { bucket: 'undone next', failures: 1 })
      throw new Error('changed my mind')
    })
    await assert.rejects(undone, /changed my mind/)
    assert.deepEqual(await findFailures(db, { bucket: 'undone next', minFailures: 0 }), [])
  })

  test('one that nobody waits for and that fails undoes its transaction', async (t) => {
    const { db } = await open(t)
    const taken = { bucket: 'taken', failures: 1 }
    await insert(db, taken)
    const refused = db.transaction(async (trx) => {
      await insert(trx, { ...taken, bucket: 'beside it' })
      insert.next(trx, taken)
    })
    await assert.rejects(refused, (error) => isDuplicate(error))
    assert.deepEqual(await findFailures(db, { bucket: 'beside it', minFailures: 0 }), [])
  })

  test('they run in the order in which they were given, also when several are given at once', async (t) => {
    const { db } = await open(t)
    const [before, , after] = await db.transaction((trx) =>
      Promise.all([
        findFailures(trx, { bucket: 'in order', minFailures: 0 }),
        insert(trx, { bucket: 'in order', failures: 1 }),
        findFailures(trx, { bucket: 'in order', minFailures: 0 }),
      ]),
    )
    assert.deepEqual([before, after], [[], [{ failures: 1 }]])
  })
}
