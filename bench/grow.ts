import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type Growth, growthStatements, inCreationOrder } from './growth.ts'

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
    const tables = [...new Set(statements.flatMap((each) => /^insert into (\w+)/.exec(each)?.[1] ?? []))]
    await client.query('begin')
    // Without indexes rows are only appended; an index is built in a fraction of the time when all of them are there.
    const { rows: constraints } = await client.query<Constraint>(CONSTRAINTS, [tables])
    for (const { on, name } of constraints) await client.query(`alter table ${on} drop constraint ${name}`)
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES, [tables])
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (const statement of statements) await client.query(inCreationOrder(statement))
    for (const { definition } of indexes) await client.query(definition)
    for (const { on, name, definition } of constraints.toReversed())
      await client.query(`alter table ${on} add constraint ${name} ${definition}`)
    await client.query('commit')
    // The planner needs statistics now; autovacuum would collect them within minutes.
    await client.query(`vacuum analyze ${tables.join(', ')}`)
  } finally {
    await client.end()
  }
}

interface Constraint {
  on: string
  name: string
  definition: string
}

/** References to and from these tables, and then their keys, which can't be dropped before the references to them. */
const CONSTRAINTS = `select cast(cast(conrelid as regclass) as text) as on, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition
  from pg_constraint
  where connamespace = cast(current_schema() as regnamespace) and contype in ('f', 'p', 'u')
    and (conrelid = any(cast($1 as text[])::regclass[]) or confrelid = any(cast($1 as text[])::regclass[]))
  order by contype <> 'f', conname`

/** Once the constraints are gone, those that belong to none. */
const INDEXES = `select quote_ident(indexname) as name, indexdef as definition from pg_indexes
  where schemaname = current_schema() and tablename = any($1)`
