import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Values } from '../../src/storage/statement.ts'
import { statementForMany } from '../../src/storage/statement-for-many.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const found = statementForMany((db, ids, value: Values<{ least: number }>) =>
  db
    .selectFrom('rate_limits')
    .select('bucket')
    .where('bucket', 'in', ids)
    .where('failures', '>=', value('least'))
    .orderBy('bucket')
    .forNoKeyUpdate(),
)

onEachEngine('a statement about many', (engine) => {
  const shared = sharedApp({ engine })

  for (const count of [0, 1, 2, 4, 5, 16, 17, 64, 65, 150]) {
    test(`finds each of ${count} once, in a transaction or without one`, async () => {
      const { db } = shared().services
      const ids = Array.from({ length: count }, (_, index) => `many of ${count}: ${String(index).padStart(3, '0')}`)
      const rows = ids.map((bucket, index) => ({ bucket, failures: index % 3, expires_at: 1_000_000_000_000 }))
      if (count > 0) await db.insertInto('rate_limits').values(rows).execute()
      const wanted = rows.filter(({ failures }) => failures >= 1).map(({ bucket }) => ({ bucket }))
      assert.deepEqual(await found(db, ids, { least: 1 }), wanted)
      assert.deepEqual(await db.transaction().execute((trx) => found(trx, ids, { least: 1 })), wanted)
    })
  }

  test('a statement after the end of its transaction is refused', async () => {
    const { db } = shared().services
    const trx = await db.startTransaction().execute()
    assert.deepEqual(await found(trx, ['none'], { least: 0 }), [])
    await trx.commit().execute()
    await assert.rejects(found(trx, ['none'], { least: 0 }))
  })
})
