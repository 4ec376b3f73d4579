import { sql } from 'kysely'
import type { Db } from '../storage/schema.ts'
import { type Account, findAccountById } from './user-store.ts'

/**
 * Takes the account's row until the transaction ends, and tells how the account stands. Whoever would disable it, or
 * change it in another way, waits; whoever was faster has been waited for. So what is decided here still holds at the
 * commit: no session begins on an account that was disabled a moment ago.
 */
export async function holdAccount(trx: Db, userId: string): Promise<Account | undefined> {
  // An update that changes nothing takes the row on both engines alike.
  await trx
    .updateTable('users')
    .set({ last_login_at: sql`last_login_at` })
    .where('id', '=', userId)
    .execute()
  return findAccountById(trx, userId)
}
