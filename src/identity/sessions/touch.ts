import type { Services } from '../../platform/services.ts'
import { isDue, MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import { within, type Trx } from '../../storage/database.ts'
import { isUnwritable } from '../../storage/failure.ts'
import { TOUCH_MS } from './session.ts'

/**
 * Writes when something was last used, at most once a minute. A time in the future was written under a wrong clock, and
 * would keep an unused session alive until then.
 */
export async function touch(
  { db, now }: Pick<Services, 'db' | 'now'>,
  lastUsedAt: number,
  write: (trx: Trx, at: number) => Promise<void>,
): Promise<void> {
  if (!isDue(lastUsedAt + TOUCH_MS, now(), TOUCH_MS + MAX_CLOCK_SKEW_MS)) return
  await within(MAX_TOUCH_MS, db.transaction((trx) => write(trx, now())).catch(ignoreUnwritable))
}

/** How long a request waits for `last_used_at` to be written: another program may have locked the database. */
const MAX_TOUCH_MS = 100

/**
 * A request is not refused because `last_used_at` can't be written: on a full disk everything can still be read. When the
 * database does not answer at all, it is refused at once: the next query would not be answered either.
 */
function ignoreUnwritable(error: unknown): void {
  if (!isUnwritable(error)) throw error
}
