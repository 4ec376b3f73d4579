import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../storage/database.ts'
import type { Schema } from '../storage/schema.ts'

const SLICE = 10_000

interface Asked {
  table: keyof Schema
  /** A column of times with an index of its own. */
  by: string
  above: number
  /** What else has to hold. */
  where?: RawBuilder<boolean>
}

/**
 * Counts what lies above a value, a slice at a time, and lets others have their turn between the slices: counting
 * millions of rows in one go would keep everybody waiting on SQLite, which answers in this process.
 */
export async function countInSlices(
  db: Reader,
  { table, by, above, where = sql<boolean>`1 = 1` }: Asked,
): Promise<number> {
  const column = sql.ref<number>(by)
  const from = db.selectFrom(sql<{ at: number }>`${sql.table(table)}`.as('counted'))
  let total = 0
  for (let low = above; ;) {
    const beyond = sql<boolean>`${column} > ${low}`
    const last = await from
      .where(beyond)
      .select(column.as('at'))
      .orderBy(column)
      .limit(1)
      .offset(SLICE - 1)
      .executeTakeFirst()
    const { count } = await from
      .where(beyond)
      .where(last === undefined ? sql<boolean>`1 = 1` : sql<boolean>`${column} <= ${last.at}`)
      .where(where)
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow()
    total += count
    if (last === undefined) return total
    low = last.at
    await setImmediate()
  }
}
