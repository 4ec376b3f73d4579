import { sql } from 'kysely'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import type { Counted } from '../../vocabulary/daily-counts.ts'

export interface DailyCounts {
  add(what: Counted): void
  /** Writes what has been counted since the last time. A crash loses the counts of about a second: they are only shown in a chart. */
  flush(): Promise<void>
}

export function createDailyCounts({ db, now }: { db: Database; now: () => number }): DailyCounts {
  let unwritten = new Map<string, DailyCount>()

  const add = ({ day, what, count }: DailyCount): void => {
    const key = `${day} ${what}`
    unwritten.set(key, { day, what, count: (unwritten.get(key)?.count ?? 0) + count })
  }

  return {
    add: (what) => add({ day: dayOf(now()), what, count: 1 }),
    async flush() {
      if (unwritten.size === 0) return
      const writing = [...unwritten.values()]
      unwritten = new Map()
      try {
        await db.transaction((trx) => addDailyCounts(trx, writing))
      } catch (error) {
        for (const count of writing) add(count)
        throw error
      }
    },
  }
}

/** A day in UTC, as 2026-01-31. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export interface DailyCount {
  /** In UTC, as 2026-01-31. */
  day: string
  what: Counted
  count: number
}

/** Adds to what has been counted on those days already. */
async function addDailyCounts(trx: Trx, counts: DailyCount[]): Promise<void> {
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
