import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../src/platform/http/log.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createStorage } from '../support/engines.ts'

const log = createLogger('silent')

test('four replicas that start concurrently on an empty PostgreSQL migrate it once', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const { kysely, close } = await openStorage(storage.databaseUrl, log, 1)
  await kysely.schema.dropSchema('public').cascade().execute()
  await kysely.schema.createSchema('public').execute()
  await close()
  const replicas = await Promise.all(Array.from({ length: 4 }, () => openStorage(storage.databaseUrl, log, 1)))
  await Promise.all(replicas.map((replica) => replica.close()))
})

test('a second process on the same SQLite file is refused with one line', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const first = await openStorage(storage.databaseUrl, log, 1)
  await assert.rejects(openStorage(storage.databaseUrl, log, 1), /Another Latchkey is already running on/)
  await first.close()
  await (await openStorage(storage.databaseUrl, log, 1)).close()
})
