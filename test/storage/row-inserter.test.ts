import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowInserter } from '../../src/storage/row-inserter.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const insertLimits = rowInserter('rate_limits', ['bucket', 'failures', 'expires_at'])

onEachEngine('inserting rows', (engine) => {
  const shared = sharedApp({ engine })

  for (const count of [0, 1, 3, 4, 15, 16, 63, 64, 65, 150]) {
    test(`${count} at once arrive whole, in a transaction or without one`, async () => {
      const { db } = shared().services
      const rows = (name: string) =>
        Array.from({ length: count }, (_, index) => ({
          bucket: `${name} of ${count}: ${String(index).padStart(3, '0')}`,
          failures: index,
          expires_at: 1_000_000_000_000 + index,
        }))
      await insertLimits(db, rows('alone'))
      await db.transaction().execute((trx) => insertLimits(trx, rows('together')))
      const stored = await db
        .selectFrom('rate_limits')
        .selectAll()
        .where('bucket', 'like', `% of ${count}: %`)
        .orderBy('bucket')
        .execute()
      assert.deepEqual(
        stored.map(({ bucket, failures, expires_at }) => ({ bucket, failures, expires_at })),
        [...rows('alone'), ...rows('together')],
      )
    })
  }
})
