import { sql } from 'kysely'
import type { Reader } from './database.ts'

/** Resolves when the database answers. */
export async function ping(db: Reader): Promise<void> {
  await sql`select 1`.execute(db)
}
