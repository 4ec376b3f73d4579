import type { Trx } from '../storage/database.ts'
import { writeStatement, type Values } from '../storage/statement.ts'
import { accountMayAct } from './account-standing.ts'
import { type Account, findAccountById } from './user-store.ts'

/**
 * Locks the rows of these users until the transaction ends: whoever would disable, delete or change an account waits for
 * us, or we have waited for them. So what is decided here still holds at the commit. Rows are taken in one order, here
 * and on every replica, so that no two transactions wait for each other. Answers who of them there is.
 */
export async function holdUsers(trx: Trx, userIds: string[]): Promise<string[]> {
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
export const holdUser = async (trx: Trx, userId: string): Promise<boolean> =>
  (await holdOne(trx, { id: userId })).length > 0

/** As `holdUser`, and tells how the account stands: no session begins on an account that was disabled a moment ago. */
export async function holdAccount(trx: Trx, userId: string): Promise<Account | undefined> {
  return (await holdUser(trx, userId)) ? findAccountById(trx, userId) : undefined
}

/** Shared: others may hold the row as well, and nobody may change it. Exclusive: nobody else may hold it. */
export type RowLock = 'shared' | 'exclusive'

const actingUser = (lock: RowLock) =>
  writeStatement((db, value: Values<{ id: string }>) => {
    const query = db.selectFrom('users').select('id').where('id', '=', value('id')).where(accountMayAct)
    return lock === 'shared' ? query.forShare() : query.forNoKeyUpdate()
  })
const byLock = { shared: actingUser('shared'), exclusive: actingUser('exclusive') }

/** Locks the row of one user. False when there is no such user, or the account may not act. */
export const holdActingUser = async (trx: Trx, id: string, lock: RowLock): Promise<boolean> =>
  (await byLock[lock](trx, { id })).length > 0
