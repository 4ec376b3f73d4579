import type { Services } from '../../platform/services.ts'
import { emitForUsers } from '../../storage/signals.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { eachWindow, markNextRead } from './notification-store.ts'

/** Marking this many takes milliseconds. Other writes run between two slices. */
const SLICE = 500

/**
 * Marks everything read that there is when it is listed. A person may have hundreds of thousands, so it works in slices, each
 * a transaction of its own. Streams are told once, at the end.
 */
export async function markAllRead(
  services: Pick<Services, 'db' | 'now' | 'signals'>,
  actor: SignedInActor,
): Promise<void> {
  const now = services.now()
  // Also when nothing is unread: an actor who may no longer act is refused.
  await changeOwnAccount(services, actor, async () => {})
  let marked = 0
  for await (const { unread, above, last } of eachWindow(services.db.read, actor.id)) {
    const slice = { above, last, limit: SLICE, now }
    marked += unread
    for (let left = unread; left > 0; left -= SLICE) {
      await changeOwnAccount(services, actor, (trx) => markNextRead(trx, actor.id, slice))
    }
  }
  if (marked === 0) return
  await services.db.transaction((trx) => emitForUsers(services.signals, trx, 'notifications-read', [actor.id]))
}
