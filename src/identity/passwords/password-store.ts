import { newId } from '../../platform/ids.ts'
import type { Reader, Trx } from '../../storage/database.ts'

/** Null removes the password. */
export async function updatePasswordHash(trx: Trx, userId: string, passwordHash: string | null): Promise<void> {
  await trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

export async function addResetRequest(trx: Trx, email: string, now: number): Promise<void> {
  await trx.insertInto('reset_requests').values({ id: newId(), email, created_at: now }).execute()
}

/** The ids of the oldest ones. */
export async function listResetRequests(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('reset_requests').select('id').orderBy('created_at').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Returns the email that it was made for. Reading and deleting are one statement, so only one replica gets it. */
export async function consumeResetRequest(trx: Trx, id: string): Promise<string | undefined> {
  const row = await trx.deleteFrom('reset_requests').where('id', '=', id).returning('email').executeTakeFirst()
  return row?.email
}
