import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createStorage } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT } from './installation.ts'
import { figure, fork, seededRandom } from './run-options.ts'
import { createTraffic } from './traffic.ts'

const PART = 'Column added under load'
const MIN_REQUESTS = 40

test('while a column is added to every table under load, a replica that runs serves every request', async (t) => {
  const random = seededRandom(t)
  const storage = await createStorage('postgres')
  const migrator = new pg.Client(storage.databaseUrl)
  await migrator.connect()
  t.after(async () => {
    await migrator.end()
    await storage.remove()
  })
  const replica = await startReplica(t, storage, { environment: ENVIRONMENT })
  const traffic = createTraffic(t, await createInstallation(replica.address), fork(random))
  const acknowledge = async () => {
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= MIN_REQUESTS)
  }
  const stop = traffic.start()
  // Its statements are prepared on every connection.
  await acknowledge()
  const { rows: tables } = await migrator.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  for (const { name } of tables) await migrator.query(`alter table "${name}" add column added_later text default 'x'`)
  await acknowledge()
  await stop()
  assert.deepEqual(traffic.attempts.unexpected, [])
  assert.deepEqual(traffic.attempts.unavailable, [])
  await traffic.settle()
  figure(t, PART, 'tables that got a column', tables.length)
  figure(t, PART, 'checks afterwards', await traffic.verify('all'))
})
