import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { changedRows, type Database } from './database.ts'
import type { Schema } from './schema.ts'

/** Small enough, and far enough apart, that other requests are not slowed down. */
const SLICE = 100
const PAUSE_MS = 10

interface Slices {
  table: keyof Schema
  /** Columns that name a row and have an index, separated by commas. */
  key: string
  /** Which rows to delete. It needs an index. */
  where: RawBuilder<boolean>
  /** The column of that index. In its order no slice scans rows that are deleted already. */
  orderBy?: string
  rows?: number
  pauseMs?: number
  /** Stops after the current slice. */
  stop?: AbortSignal | undefined
}

/**
 * Deletes rows in slices, each a transaction of its own, with a pause between them: one statement for all would make all
 * writes wait on SQLite, and exceed the time limit on PostgreSQL. Returns how many were deleted.
 */
export async function deleteInSlices(db: Database, slices: Slices): Promise<number> {
  const { table, where, stop, rows = SLICE, pauseMs = PAUSE_MS } = slices
  const key = sql.raw(slices.key)
  const order = slices.orderBy === undefined ? sql`` : sql`order by ${sql.ref(slices.orderBy)}`
  const slice = sql`
    delete from ${sql.table(table)} where (${key}) in (
      select ${key} from ${sql.table(table)} where ${where} ${order} limit ${rows})`
  const isStopped = () => stop?.aborted === true
  if (isStopped()) return 0
  // Most often this is the only one, and not worth starting another thread.
  let last = await db.transaction((trx) => changedRows(slice, trx))
  let deleted = last
  while (last === rows) {
    await sleep(pauseMs)
    if (isStopped()) break
    last = await db.writeInBackground(slice)
    deleted += last
  }
  return deleted
}
