import { sql } from 'kysely'
import type { Db } from '../storage/schema.ts'
import { type Account, findAccountById } from './user-store.ts'

/**
 * Changes nothing, but from here to the end of the transaction the user's row is ours: whoever would disable, delete or
 * change the account waits for us, or we have waited for them. So what is decided here still holds at the commit. An
 * update that changes nothing takes the row on both engines alike. False when there is no such user.
 */
export async function holdUser(trx: Db, userId: string): Promise<boolean> {
  const held = await trx
    .updateTable('users')
    .set({ last_notification: sql<number>`last_notification` })
    .where('id', '=', userId)
    .returning('id')
    .execute()
  return held.length > 0
}

/** The same for several at once. */
export async function holdUsers(trx: Db, userIds: string[]): Promise<void> {
  await trx
    .updateTable('users')
    .set({ last_notification: sql<number>`last_notification` })
    .where('id', 'in', userIds)
    .execute()
}

/** As `holdUser`, and tells how the account stands: no session begins on an account that was disabled a moment ago. */
export async function holdAccount(trx: Db, userId: string): Promise<Account | undefined> {
  return (await holdUser(trx, userId)) ? findAccountById(trx, userId) : undefined
}
