import { sql } from 'kysely'
import type pg from 'pg'
import type { Reader } from '../../src/storage/database.ts'

/** How many connections to the database wait for a lock. The observer must not be in a transaction: there, the first answer stays. */
export async function countLockWaits(observer: pg.Client): Promise<number> {
  const { rowCount } = await observer.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}

/** Returns when a connection of this database waits for a lock that another one holds, or when there is nothing to wait for. */
export async function untilLockWait(db: Reader, isOver = () => false): Promise<void> {
  while (!isOver()) {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length > 0) return
  }
}
