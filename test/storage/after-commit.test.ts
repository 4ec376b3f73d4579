import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../src/platform/http/log.ts'
import { dryRun } from '../../src/storage/database.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createStorage, onEachEngine } from '../support/engines.ts'

onEachEngine('a task for after the commit', (engine) => {
  test('runs once when its transaction has committed, and never when that is undone', async (t) => {
    const storage = await createStorage(engine)
    const { db, close } = await openStorage(storage.databaseUrl, createLogger('silent'), 0, { timeoutFactor: 5 })
    t.after(async () => {
      await close()
      await storage.remove()
    })
    const ran: string[] = []
    await db.transaction(async (trx) => {
      trx.afterCommit(() => ran.push('committed'))
      await trx.insertInto('background_jobs').values({ name: 'a', next_run_at: 1 }).execute()
      assert.deepEqual(ran, [])
    })
    assert.deepEqual(ran, ['committed'])
    await assert.rejects(
      db.transaction(async (trx) => {
        trx.afterCommit(() => ran.push('undone'))
        throw new Error('refused')
      }),
      /refused/,
    )
    await dryRun(db, async (trx) => trx.afterCommit(() => ran.push('dry run')))
    assert.deepEqual(ran, ['committed'])
  })
})
