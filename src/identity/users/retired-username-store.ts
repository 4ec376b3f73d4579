import type { Reader, Trx } from '../../storage/database.ts'

interface RetiredUsername {
  username: string
  userId: string
  reservedUntil: number
}

/** Reserves a username for the user who gave it up, in place of an earlier reservation. */
export async function addRetiredUsername(
  trx: Trx,
  { username, userId, reservedUntil }: RetiredUsername,
): Promise<void> {
  const reserved = { user_id: userId, reserved_until: reservedUntil }
  await trx
    .insertInto('retired_usernames')
    .values({ username, ...reserved })
    .onConflict((conflict) => conflict.column('username').doUpdateSet(reserved))
    .execute()
}

/** Deletes the reservation of a username, and returns it as it was. */
export async function deleteRetiredUsername(
  trx: Trx,
  username: string,
): Promise<Omit<RetiredUsername, 'username'> | undefined> {
  return trx
    .deleteFrom('retired_usernames')
    .where('username', '=', username)
    .returning(['user_id as userId', 'reserved_until as reservedUntil'])
    .executeTakeFirst()
}

/** Whether a username is reserved for this user at that time. */
export async function isRetiredUsernameOf(
  db: Reader,
  { username, userId, now }: { username: string; userId: string; now: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('retired_usernames')
    .select('username')
    .where('username', '=', username)
    .where('user_id', '=', userId)
    .where('reserved_until', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Which of these usernames are reserved at that time. */
export async function listRetiredUsernames(db: Reader, names: string[], now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('retired_usernames')
    .select('username')
    .where('username', 'in', names)
    .where('reserved_until', '>', now)
    .execute()
  return rows.map(({ username }) => username)
}
