import { atField } from '../../errors.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import { userErrors } from './user-errors.ts'

/** A username that was given up is reserved for this long, because hosts may still have the UNIX account of that name. */
const RESERVED_MS = 90 * 24 * 3_600_000

interface UsernameChange {
  username: string
  userId: string
  now: number
}

/** Reserves the username that a user gives up, or that a deleted account had. */
export const retireUsername = (trx: Trx, { username, userId, now }: UsernameChange): Promise<void> =>
  addRetiredUsername(trx, { username, userId, reservedUntil: now + RESERVED_MS })

/**
 * Refuses a username that is reserved for another user. Call it after the username was written to the user's row: from
 * then on the unique index lets no other transaction give up or take the same name before this one ends.
 */
export async function takeUsername(trx: Trx, { username, userId, now }: UsernameChange): Promise<void> {
  const retired = await deleteRetiredUsername(trx, username)
  if (retired && retired.userId !== userId && retired.reservedUntil > now)
    throw atField('preferredUsername', userErrors.username_recently_given_up({ username }))
}

/** Completes a change of username in this transaction: the new one must not be reserved, the old one becomes reserved. */
export async function replaceUsername(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { userId, from, to }: { userId: string; from: string; to: string },
): Promise<void> {
  await takeUsername(trx, { username: to, userId, now: now() })
  await retireUsername(trx, { username: from, userId, now: now() })
}

interface Reservation {
  username: string
  userId: string
  reservedUntil: number
}

/** Reserves a username for the user who gave it up, in place of an earlier reservation. */
async function addRetiredUsername(trx: Trx, { username, userId, reservedUntil }: Reservation): Promise<void> {
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
): Promise<Omit<Reservation, 'username'> | undefined> {
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
