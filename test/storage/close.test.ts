import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../src/platform/http/log.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createMigratedStorage } from '../support/engines.ts'
import { findByStatement } from './conformance/open.ts'

test('closing a SQLite file waits for all reads that were requested before', async (t) => {
  const storage = await createMigratedStorage('sqlite')
  t.after(() => storage.remove())
  const engine = await openStorage(storage.databaseUrl, createLogger('silent'), 0)
  // More than run together.
  const reads = Array.from({ length: 2500 }, () => findByStatement(engine.db.read, { name: 'none' }))
  const answers = Promise.allSettled(reads)
  await engine.close()
  assert.ok((await answers).every(({ status }) => status === 'fulfilled'))
})
