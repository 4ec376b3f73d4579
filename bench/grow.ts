import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type Growth, growthStatements } from './growth.ts'

/** Fills a database that has its tables already. It is fast because nothing is synced to disk before the end. */
export const grow = (databaseUrl: string, growth: Growth): Promise<void> => run(databaseUrl, growthStatements(growth))

export async function run(databaseUrl: string, statements: string[]): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) runOnSqlite(databaseUrl.slice('sqlite:'.length), statements)
  else await runOnPostgres(databaseUrl, statements)
}

function runOnSqlite(file: string, statements: string[]): void {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA temp_store = MEMORY; BEGIN')
    for (const statement of statements) db.exec(statement)
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

async function runOnPostgres(databaseUrl: string, statements: string[]): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(`set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'`)
    // Every value refers to a row that is there, so checking each of them is not needed. Only a superuser may say so.
    await client.query('set session_replication_role = replica').catch(() => {})
    await client.query('begin')
    // Indexes are built in a fraction of the time when all rows are there.
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES)
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (const statement of statements) await client.query(statement)
    for (const { definition } of indexes) await client.query(definition)
    await client.query('commit')
    // The planner needs statistics now; autovacuum would collect them within minutes.
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** Those that are not part of a constraint. */
const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = current_schema()
    and not exists (select 1 from pg_constraint where conname = indexname)`
