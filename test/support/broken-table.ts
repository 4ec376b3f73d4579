import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Schema } from '../../src/storage/schema.ts'
import type { TestApp } from './app.ts'
import type { EngineName } from './engines.ts'

interface Broken {
  table: keyof Schema
  on: 'insert' | 'update'
  /** An SQL condition on the row `new`. */
  when: string
  /** The error code on PostgreSQL. The default is that of an internal error. */
  errorCode?: string
}

/** Makes the database reject these writes until the returned function is called. */
export async function breakTable(
  { services: { db } }: Pick<TestApp, 'services'>,
  engine: EngineName,
  { table, on, when, errorCode = 'XX000' }: Broken,
): Promise<() => Promise<void>> {
  const name = `broken_${randomUUID().replaceAll('-', '')}`
  const run = (...statements: string[]) =>
    db.transaction(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx)
    })
  if (engine === 'sqlite') {
    await run(
      `create trigger ${name} before ${on} on ${table} when ${when} begin select raise(abort, 'broken for a test'); end`,
    )
    return () => run(`drop trigger ${name}`)
  }
  await run(
    `create function ${name}() returns trigger language plpgsql as
      $$ begin raise exception 'broken for a test' using errcode = '${errorCode}'; end $$`,
    `create trigger ${name} before ${on} on ${table} for each row when (${when}) execute function ${name}()`,
  )
  return () => run(`drop trigger ${name} on ${table}`, `drop function ${name}()`)
}
