import { sql } from 'kysely'
import type { Database, Reader, Trx } from '../../storage/database.ts'

/** The first number of an account is one more than the counter begins with (migration 0032). */
const LAST_NUMBER = 99_999
/** More than anybody is likely to have been given since the last backup. */
const SKIPPED_NUMBERS = 1000
const MAX_ASKED = 500

/** Somebody who has a number for their accounts on hosts. */
export interface NumberedPerson {
  uid: number
  userId: string
  /** The username; of a deleted person the last one, until they are forgotten. */
  name: string | null
  displayName: string | null
  /** The roles that admitted them somewhere. */
  roleIds: string[]
  /** Whether the account of the person was deleted. */
  isDeleted: boolean
  leftAt: number | null
  /** The name as it is stored here. */
  storedName: string | null
}

/** By number. */
export async function listNumberedPeople(db: Reader): Promise<NumberedPerson[]> {
  const rows = await db
    .selectFrom('ssh_host_accounts')
    .leftJoin('users', 'users.id', 'ssh_host_accounts.user_id')
    .select(['ssh_host_accounts.uid', 'ssh_host_accounts.user_id', 'ssh_host_accounts.name'])
    .select(['ssh_host_accounts.role_ids', 'ssh_host_accounts.left_at'])
    .select(['users.id', 'users.preferred_username', 'users.display_name', 'users.deleted_at'])
    .orderBy('ssh_host_accounts.uid')
    .execute()
  return rows.map((row) => {
    const isDeleted = row.id === null || row.deleted_at !== null
    return {
      uid: row.uid,
      userId: row.user_id,
      name: isDeleted ? row.name : row.preferred_username,
      displayName: isDeleted ? null : row.display_name,
      roleIds: row.role_ids.split(' ').filter(Boolean),
      isDeleted,
      leftAt: row.left_at,
      storedName: row.name,
    }
  })
}

/**
 * Gives a number to each of these people who has none. All replicas wait for one another at the counter, so that no number is given twice.
 * Returns how many people are left without one.
 */
export const giveNumbers = (db: Database, userIds: readonly string[]): Promise<number> =>
  db.transaction(async (trx) => {
    const last = await raiseCounter(trx, 0)
    const numbered = await listNumbered(trx, userIds)
    const waiting = userIds.filter((id) => !numbered.has(id))
    const given = waiting.slice(0, Math.max(0, LAST_NUMBER - last))
    for (let from = 0; from < given.length; from += MAX_ASKED) {
      const rows = given
        .slice(from, from + MAX_ASKED)
        .map((user_id, at) => ({ uid: last + 1 + from + at, user_id, name: null, role_ids: '', left_at: null }))
      await trx.insertInto('ssh_host_accounts').values(rows).execute()
    }
    if (given.length > 0) await raiseCounter(trx, given.length)
    return waiting.length - given.length
  })

async function listNumbered(trx: Trx, userIds: readonly string[]): Promise<Set<string>> {
  const numbered = new Set<string>()
  for (let from = 0; from < userIds.length; from += MAX_ASKED) {
    const rows = await trx
      .selectFrom('ssh_host_accounts')
      .select('user_id')
      .where('user_id', 'in', userIds.slice(from, from + MAX_ASKED))
      .execute()
    for (const { user_id } of rows) numbered.add(user_id)
  }
  return numbered
}

/** The last number afterwards. Until the transaction ends, no other gives numbers. */
async function raiseCounter(trx: Trx, by: number): Promise<number> {
  const { value } = await trx
    .updateTable('counters')
    .set({ value: sql`value + ${BigInt(by)}` })
    .where('name', '=', 'ssh_account_uid')
    .returning(sql<string>`cast(value as text)`.as('value'))
    .executeTakeFirstOrThrow()
  return Number(value)
}

/**
 * For a restored backup, which does not know the numbers that were given after it was made: hosts have accounts with them, and nobody else
 * may get one of these.
 */
export async function skipNumbers(trx: Trx): Promise<void> {
  const last = await raiseCounter(trx, 0)
  const isUsed = (await trx.selectFrom('ssh_host_accounts').select('uid').limit(1).execute()).length > 0
  if (isUsed) await raiseCounter(trx, Math.max(0, Math.min(SKIPPED_NUMBERS, LAST_NUMBER - last)))
}

/** What hosts are told of a person, so that it is known when the person is gone. */
export async function markListed(
  trx: Trx,
  { userId, name, roleIds }: { userId: string; name: string; roleIds: readonly string[] },
): Promise<void> {
  await trx
    .updateTable('ssh_host_accounts')
    .set({ name, role_ids: roleIds.join(' ') })
    .where('user_id', '=', userId)
    .execute()
}

export async function markLeft(trx: Trx, userId: string, at: number): Promise<void> {
  await trx
    .updateTable('ssh_host_accounts')
    .set({ left_at: at })
    .where('user_id', '=', userId)
    .where('left_at', 'is', null)
    .execute()
}

/** The number stays, so that nobody else gets it. */
export async function forgetName(trx: Trx, userId: string): Promise<void> {
  await trx.updateTable('ssh_host_accounts').set({ name: null, role_ids: '' }).where('user_id', '=', userId).execute()
}
