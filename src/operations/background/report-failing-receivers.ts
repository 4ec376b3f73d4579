import { notifyAdministrators } from '../../identity/notifications/notify.ts'
import { listFailingReceivers } from '../../platform/outbox/failing-receivers.ts'
import { markNotified } from '../../platform/outbox/receiver-store.ts'
import { nameReceivers } from '../../platform/outbox/told-receivers.ts'
import type { Services } from '../../platform/services.ts'
import { TOLD_AS } from '../../vocabulary/receivers.ts'
import { turnOffWebhook } from '../webhooks/turn-off-webhook.ts'

const FAILING_MS = 3 * 24 * 3_600_000
const MAX_REPORTED = 100

/**
 * Notifies administrators of receivers that have failed for three days, once for each such time. A webhook is turned off; an application
 * goes on being told that access has ended.
 */
export async function reportFailingReceivers(services: Pick<Services, 'db' | 'now' | 'signals'>): Promise<void> {
  const { db, now } = services
  const failing = await listFailingReceivers(db.read, {
    before: now() - FAILING_MS,
    limit: MAX_REPORTED,
    unnotified: true,
  })
  if (failing.length === 0) return
  const nameOf = await nameReceivers(db.read, failing)
  for (const receiver of failing)
    await db.transaction(async (trx) => {
      if (!(await markNotified(trx, receiver, now()))) return
      const turnedOff =
        receiver.kind === 'webhook' && (await turnOffWebhook(services, trx, receiver.receiverId, 'failing'))
      const { receiverId: id, since, lastError: error } = receiver
      const data = { kind: TOLD_AS[receiver.kind], id, name: nameOf(receiver) ?? id, since, error, turnedOff }
      await notifyAdministrators(services, trx, [{ type: 'receiver.failing', data }])
    })
}
