import { AppError } from '../errors.ts'
import type { Reader, Trx } from '../storage/database.ts'

/** So long a username that was given up is not given to anybody else: hosts may still have the account of that name. */
const RESERVED_MS = 90 * 24 * 3_600_000

/** Nobody else may have the name for a while. In the transaction that gives it up, or deletes the account. */
export async function retireUsername(
  trx: Trx,
  { username, userId, now }: { username: string; userId: string; now: number },
): Promise<void> {
  const reserved = { user_id: userId, reserved_until: now + RESERVED_MS }
  await trx
    .insertInto('retired_usernames')
    .values({ username, ...reserved })
    .onConflict((conflict) => conflict.column('username').doUpdateSet(reserved))
    .execute()
}

/** Somebody else had it not long ago. */
export class RetiredUsername extends AppError {
  constructor(username: string) {
    super('conflict', `The username ${username} was given up not long ago, and nobody else can have it yet.`)
  }
}

/**
 * Takes a name for a user who has it already in this transaction, or refuses it. Asked after the name was written: by then
 * the database lets nobody else have it, so whoever gave it up before has been waited for, and is found here.
 */
export async function takeUsername(
  trx: Trx,
  { username, userId, now }: { username: string; userId: string; now: number },
): Promise<void> {
  const retired = await trx
    .deleteFrom('retired_usernames')
    .where('username', '=', username)
    .returning(['user_id', 'reserved_until'])
    .executeTakeFirst()
  if (retired && retired.user_id !== userId && retired.reserved_until > now) throw new RetiredUsername(username)
}

/** Which of these names are kept from everybody at that time. */
export async function listRetiredUsernames(db: Reader, names: string[], now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('retired_usernames')
    .select('username')
    .where('username', 'in', names)
    .where('reserved_until', '>', now)
    .execute()
  return rows.map(({ username }) => username)
}
