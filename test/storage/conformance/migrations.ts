import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../../src/platform/http/log.ts'
import { migrate } from '../../../src/storage/migrate.ts'
import { MIGRATIONS } from '../../../src/storage/migrations/all.ts'
import { openStorage } from '../../../src/storage/open.ts'
import { createStorage, type EngineName } from '../../support/engines.ts'

const log = createLogger('silent')

export function migrations(engine: EngineName): void {
  test('are each applied once, however often the service starts', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    for (let start = 0; start < 3; start++) await (await openStorage(storage.databaseUrl, log, start)).close()
    const { db, close } = await openStorage(storage.databaseUrl, log, 9)
    const applied = await db.read
      .selectFrom('schema_migrations' as never)
      .selectAll()
      .execute()
    await close()
    assert.equal(applied.length, MIGRATIONS.length)
  })

  test('from a newer version stop the start with an explanation', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const { db, close } = await openStorage(storage.databaseUrl, log, 1)
    await db.transaction((trx) =>
      trx
        .insertInto('schema_migrations' as never)
        .values({ name: '9999-from-the-future', applied_at: 1 })
        .execute(),
    )
    await close()
    await assert.rejects(
      openStorage(storage.databaseUrl, log, 2),
      /made by a newer Latchkey \(it has 9999-from-the-future\)/,
    )
  })

  test('that fail leave nothing of themselves or of the migrations before them', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const { db, kysely, close } = await openStorage(storage.databaseUrl, log, 1)
    t.after(close)
    const half = {
      name: '9998-half',
      up: async (trx: { schema: typeof kysely.schema }) =>
        trx.schema.createTable('half').addColumn('a', 'text').execute(),
    }
    const broken = { name: '9999-broken', up: async () => Promise.reject(new Error('no')) }
    await assert.rejects(migrate(kysely, 2, { migrations: [...MIGRATIONS, half, broken] }), /no/)
    await assert.rejects(
      db.read
        .selectFrom('half' as never)
        .selectAll()
        .execute(),
    )
    await migrate(kysely, 3)
  })
}
