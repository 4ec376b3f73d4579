import { sql } from 'kysely'
import type { Database, Reader } from '../storage/database.ts'

/** What is counted by the day because it happens too often for the audit trail. */
export type Counted = 'access_tokens'

export interface DailyCounts {
  add(what: Counted): void
  /** Writes what has come together since the last time. A crash loses a second's worth: these are figures for a plot. */
  flush(): Promise<void>
}

export function createDailyCounts({ db, now }: { db: Database; now: () => number }): DailyCounts {
  let unwritten = new Map<string, number>()

  return {
    add(what) {
      const key = `${dayOf(now())} ${what}`
      unwritten.set(key, (unwritten.get(key) ?? 0) + 1)
    },
    async flush() {
      if (unwritten.size === 0) return
      const writing = unwritten
      unwritten = new Map()
      try {
        const rows = [...writing].map(([key, count]) => {
          const [day = '', what = ''] = key.split(' ')
          return { day, what, count }
        })
        await db.transaction((trx) =>
          trx
            .insertInto('daily_counts')
            .values(rows)
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'what'])
                .doUpdateSet({ count: sql<number>`daily_counts.count + excluded.count` }),
            )
            .execute(),
        )
      } catch (error) {
        for (const [key, count] of writing) unwritten.set(key, (unwritten.get(key) ?? 0) + count)
        throw error
      }
    },
  }
}

/** A day in UTC, as 2026-01-31. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export async function findDailyCount(db: Reader, day: string, what: Counted): Promise<number> {
  const row = await db
    .selectFrom('daily_counts')
    .select('count')
    .where('day', '=', day)
    .where('what', '=', what)
    .executeTakeFirst()
  return row?.count ?? 0
}
