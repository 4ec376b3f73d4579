import { sql } from 'kysely'
import type { Database } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'

export interface ExpiringTable {
  table: keyof Schema
  /** Columns that name a row and have an index, separated by commas. */
  key: string
  /** The column with the time, which has an index too. */
  expiry: string
}

/** Deletes the rows whose time was at or before `before`. Returns how many. */
export const deleteExpired = (
  db: Database,
  { table, key, expiry }: ExpiringTable,
  before: number,
  stop: AbortSignal | undefined,
): Promise<number> =>
  deleteInSlices(db, { table, key, where: sql<boolean>`${sql.ref(expiry)} <= ${before}`, orderBy: expiry, stop })
