import type { Trx } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import { type Account, findAccountById } from './user-store.ts'

/**
 * Locks the rows of these users until the transaction ends. Another transaction that disables, deletes or changes an account
 * waits for this one, or this one has waited for it, so what is decided here still holds at the commit. Rows are locked in
 * the same order everywhere, to avoid deadlocks. Returns the ids of those that exist.
 */
export async function lockUsers(trx: Trx, userIds: string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', userIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

const holdOne = writeStatement((db, value: Values<{ id: string }>) =>
  db.selectFrom('users').select('id').where('id', '=', value('id')).forNoKeyUpdate(),
)

/** The same for one. False when there is no such user. */
export const lockUser = async (trx: Trx, userId: string): Promise<boolean> =>
  (await holdOne(trx, { id: userId })).length > 0

/** As `lockUser`, and returns the account: so no session begins on an account that was disabled a moment ago. */
export async function lockAccount(trx: Trx, userId: string): Promise<Account | undefined> {
  // The account is read after it is locked: statements run in the order in which they are given.
  const [, account] = await Promise.all([lockUser(trx, userId), findAccountById(trx, userId)])
  return account
}

/** Shared: other transactions may lock the row as well, and none may change it. Exclusive: no other may lock it. */
export type RowLock = 'shared' | 'exclusive'
