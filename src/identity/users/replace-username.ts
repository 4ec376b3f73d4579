import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { retireUsername, takeUsername } from './retired-usernames.ts'

/** Completes a change of username in this transaction: the new one must not be reserved, the old one becomes reserved. */
export async function replaceUsername(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { userId, from, to }: { userId: string; from: string; to: string },
): Promise<void> {
  await takeUsername(trx, { username: to, userId, now: now() })
  await retireUsername(trx, { username: from, userId, now: now() })
}
