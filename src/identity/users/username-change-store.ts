import { due, isDue, MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'

/** Applications know people by their username, so its user changes it at most twice in this time. */
const USERNAME_WINDOW_MS = 30 * 24 * 3_600_000
const MAX_USERNAME_CHANGES = 2

/** A time further ahead than clocks differ was written under a wrong clock, and counts as over. */
const MAX_AHEAD_MS = USERNAME_WINDOW_MS + MAX_CLOCK_SKEW_MS

/** Counts a change by the user. False when there were two in the last 30 days. One statement, so also for changes at once. */
export async function countUsernameChange(trx: Trx, userId: string, now: number): Promise<boolean> {
  const rows = await trx
    .updateTable('users')
    .set(({ ref }) => ({ username_changed_before: ref('username_changed_at'), username_changed_at: now }))
    .where('id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('username_changed_before', 'is', null),
        due('username_changed_before', now - USERNAME_WINDOW_MS, MAX_AHEAD_MS),
      ]),
    )
    .returning('id')
    .execute()
  return rows.length > 0
}

/** The changes that still count, and when the first of them no longer does. */
export async function readUsernameChanges(
  db: Reader,
  userId: string,
  now: number,
): Promise<{ left: number; nextAt: number | null }> {
  const row = await db
    .selectFrom('users')
    .select(['username_changed_at', 'username_changed_before'])
    .where('id', '=', userId)
    .executeTakeFirst()
  const counting = [row?.username_changed_at, row?.username_changed_before]
    .filter((at) => at !== null && at !== undefined)
    .filter((at) => !isDue(at, now - USERNAME_WINDOW_MS, MAX_AHEAD_MS))
  const left = MAX_USERNAME_CHANGES - counting.length
  return { left, nextAt: left > 0 ? null : Math.min(...counting) + USERNAME_WINDOW_MS }
}
