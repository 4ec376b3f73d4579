import type { Trx } from '../../storage/database.ts'
import { addRetiredUsername, deleteRetiredUsername } from './retired-username-store.ts'
import { TakenUsername } from './taken-username.ts'

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

/** Another user gave up this username less than 90 days ago. */
export class RetiredUsername extends TakenUsername {
  constructor(username: string) {
    super(`The username ${username} was given up not long ago, and nobody else can have it yet.`, 'username_held')
  }
}

/**
 * Refuses a username that is reserved for another user. Call it after the username was written to the user's row: from
 * then on the unique index lets no other transaction give up or take the same name before this one ends.
 */
export async function takeUsername(trx: Trx, { username, userId, now }: UsernameChange): Promise<void> {
  const retired = await deleteRetiredUsername(trx, username)
  if (retired && retired.userId !== userId && retired.reservedUntil > now) throw new RetiredUsername(username)
}
