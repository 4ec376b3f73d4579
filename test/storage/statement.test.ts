import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeStatement, type Values } from '../../src/storage/statement.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const found = writeStatement((db, value: Values<{ bucket: string; least: number }>) =>
  db
    .selectFrom('rate_limits')
    .select('failures')
    .where('bucket', '=', value('bucket'))
    .where('failures', '>=', value('least'))
    .forNoKeyUpdate(),
)

const insert = writeStatement((db, value: Values<{ bucket: string; failures: number; expires_at: number }>) =>
  db
    .insertInto('rate_limits')
    .values({ bucket: value('bucket'), failures: value('failures'), expires_at: value('expires_at') }),
)

onEachEngine('a prepared statement', (engine) => {
  const shared = sharedApp({ engine })

  test('runs with other values each time, in a transaction and without one', async () => {
    const { db } = shared().services
    await insert(db, { bucket: 'alone', failures: 1, expires_at: 1_000_000_000_000 })
    await db.transaction(async (trx) => {
      await insert(trx, { bucket: 'inside', failures: 2, expires_at: 1_000_000_000_000 })
      assert.deepEqual(await found(trx, { bucket: 'inside', least: 2 }), [{ failures: 2 }])
      assert.deepEqual(await found(trx, { bucket: 'inside', least: 3 }), [])
      assert.deepEqual(await found(trx, { bucket: 'alone', least: 0 }), [{ failures: 1 }])
    })
    assert.deepEqual(await found(db, { bucket: 'alone', least: 1 }), [{ failures: 1 }])
    assert.deepEqual(await found(db, { bucket: 'inside', least: 1 }), [{ failures: 2 }])
  })

  test('is undone with its transaction', async () => {
    const { db } = shared().services
    const undone = db.transaction(async (trx) => {
      await insert(trx, { bucket: 'undone', failures: 1, expires_at: 1_000_000_000_000 })
      throw new Error('changed my mind')
    })
    await assert.rejects(undone, /changed my mind/)
    assert.deepEqual(await found(db, { bucket: 'undone', least: 0 }), [])
  })

  test('is refused after the end of its transaction', async () => {
    const { db } = shared().services
    const over = await db.transaction(async (trx) => {
      assert.deepEqual(await found(trx, { bucket: 'none', least: 0 }), [])
      return [trx]
    })
    for (const trx of over) await assert.rejects(found(trx, { bucket: 'none', least: 0 }))
  })
})
