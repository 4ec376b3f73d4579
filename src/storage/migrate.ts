import { type Kysely, sql } from 'kysely'
import { StartError } from '../errors.ts'
import { MIGRATIONS, type Migration } from './migrations/all.ts'
import type { Schema } from './schema.ts'

interface WithMigrations {
  schema_migrations: { name: string; applied_at: number }
}

/** Whether the tables of a SQLite file are there, and were made by an older version. */
export async function isOlder(db: Kysely<Schema>, migrations: readonly Migration[] = MIGRATIONS): Promise<boolean> {
  return (db as unknown as Kysely<WithMigrations>).transaction().execute(async (trx) => {
    const { rows: tables } = await sql`select 1 from sqlite_master where name = 'schema_migrations'`.execute(trx)
    if (tables.length === 0) return false
    const rows = await trx.selectFrom('schema_migrations').select('name').execute()
    const applied = new Set(rows.map(({ name }) => name))
    return applied.size > 0 && migrations.some(({ name }) => !applied.has(name))
  })
}

interface MigrateOptions {
  migrations?: readonly Migration[] | undefined
  /** Called when tables of an older version were changed, before that is committed. */
  beforeUpgrade?: (() => Promise<void>) | undefined
}

/**
 * Applies the migrations that are missing. Replicas that start together wait for one another at the lock, and all of it is
 * one transaction: either every step is applied or none.
 */
export async function migrate(
  db: Kysely<Schema>,
  now: number,
  { migrations = MIGRATIONS, beforeUpgrade }: MigrateOptions = {},
): Promise<void> {
  await (db as unknown as Kysely<WithMigrations>).transaction().execute(async (trx) => {
    await trx.getExecutor().adapter.acquireMigrationLock(trx, { lockTable: 'schema_migrations', lockRowId: '' })
    await trx.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    const applied = new Set(
      (await trx.selectFrom('schema_migrations').select('name').execute()).map(({ name }) => name),
    )

    const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name))
    if (unknown.length > 0) {
      throw new StartError(
        `The database was made by a newer Latchkey (it has ${unknown.join(', ')}). Start that version, or a newer one.`,
      )
    }
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const { name, up } of missing) {
      await up(trx as unknown as Kysely<unknown>)
      await trx.insertInto('schema_migrations').values({ name, applied_at: now }).execute()
    }
    if (applied.size > 0 && missing.length > 0) await beforeUpgrade?.()
  })
}
