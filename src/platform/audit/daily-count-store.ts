import { sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Counted } from '../../vocabulary/daily-counts.ts'

export interface DailyCount {
  /** In UTC, as 2026-01-31. */
  day: string
  what: Counted
  count: number
}

/** Adds to what has been counted on those days already. */
export async function addDailyCounts(trx: Trx, counts: DailyCount[]): Promise<void> {
  await trx
    .insertInto('daily_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns(['day', 'what']).doUpdateSet({ count: sql<number>`daily_counts.count + excluded.count` }),
    )
    .execute()
}

export async function findDailyCount(db: Reader, day: string, what: Counted): Promise<number | undefined> {
  const row = await db
    .selectFrom('daily_counts')
    .select('count')
    .where('day', '=', day)
    .where('what', '=', what)
    .executeTakeFirst()
  return row?.count
}
