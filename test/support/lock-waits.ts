import type pg from 'pg'

/** How many connections to the database wait for a lock. The observer must not be in a transaction: there, the first answer stays. */
export async function countLockWaits(observer: pg.Client): Promise<number> {
  const { rowCount } = await observer.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}
