import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** Small enough, and far enough apart, that nobody waiting for the database notices. */
const SLICE = 100
const REST_MS = 10

interface Slices {
  table: keyof Schema
  /** Columns that name a row and have an index, separated by commas. */
  key: string
  /** Which rows go. An index has to serve it. */
  where: RawBuilder<boolean>
  /** The column that the index goes by among those rows: taken in its order, no slice passes what is gone already. */
  orderBy?: string
  rows?: number
  restMs?: number
  /** Ends it after the slice that is under way. */
  stop?: AbortSignal | undefined
}

/**
 * Deletes rows in bounded slices, each a statement of its own, and lets others have their turn between them: one statement
 * for all would keep everybody waiting on SQLite, and run into the limit of time on PostgreSQL. Answers how many went.
 */
export async function deleteInSlices(db: Database, slices: Slices): Promise<number> {
  const { table, where, stop, rows: size = SLICE, restMs = REST_MS } = slices
  const key = sql.raw(slices.key)
  const order = slices.orderBy === undefined ? sql`` : sql`order by ${sql.ref(slices.orderBy)}`
  let deleted = 0
  for (;;) {
    if (stop?.aborted === true) return deleted
    const slice = sql`
      delete from ${sql.table(table)} where (${key}) in (
        select ${key} from ${sql.table(table)} where ${where} ${order} limit ${size})
      returning 1`
    const { rows } = await db.transaction((trx) => slice.execute(trx))
    deleted += rows.length
    if (rows.length < size) return deleted
    await sleep(restMs)
  }
}
