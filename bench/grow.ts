import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type Growth, growthStatements } from './growth.ts'

/** Fills a database that has its tables, whichever engine it is. Much quicker than any service would, and not durable. */
export const grow = (databaseUrl: string, growth: Growth): Promise<void> => run(databaseUrl, growthStatements(growth))

export async function run(databaseUrl: string, statements: string[]): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) growFile(databaseUrl.slice('sqlite:'.length), statements)
  else await growServer(databaseUrl, statements)
}

function growFile(file: string, statements: string[]): void {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA temp_store = MEMORY; BEGIN')
    for (const statement of statements) db.exec(statement)
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

async function growServer(databaseUrl: string, statements: string[]): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(`set synchronous_commit = off; set work_mem = '256MB'`)
    await client.query('begin')
    for (const statement of statements) await client.query(statement)
    await client.query('commit')
    // Its planner is to know at once what it would learn within minutes.
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
