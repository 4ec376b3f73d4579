import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { giveUpWaiting } from '../../platform/outbox/give-up-waiting.ts'
import { numberDeliveries } from '../../platform/outbox/webhook-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { lockWebhook, updateWebhook } from './webhook-store.ts'

/** `gone`: the receiver has answered 410. `failing`: it has failed for too long. */
export type TurnedOffBecause = 'gone' | 'failing'

/** The service itself turns a webhook off. Nothing is done when it is off already. Returns whether it was on. */
export async function turnOffWebhook(
  services: Pick<Services, 'now'>,
  trx: Trx,
  id: string,
  reason: TurnedOffBecause,
): Promise<boolean> {
  const webhook = await lockWebhook(trx, id)
  if (webhook?.enabled !== 1) return false
  await endWaiting(services, trx, id, 'turned off')
  await updateWebhook(trx, id, { enabled: 0 })
  await recordEvent(services, trx, {
    action: 'webhook.turned_off',
    outcome: 'success',
    actor: THE_SERVICE,
    target: { type: 'webhook', id },
    data: { host: new URL(webhook.url).host, reason },
  })
  return true
}

/** The rest of what is too much for one transaction. Somebody may have turned the webhook on again meanwhile. */
export async function endRest({ db, now }: Pick<Services, 'db' | 'now'>, id: string, error: string): Promise<void> {
  const endSome = async (trx: Trx): Promise<number> => {
    const webhook = await lockWebhook(trx, id)
    return webhook?.enabled === 1 ? 0 : giveUpWaiting(trx, { kind: 'webhook', receiverId: id, error, now: now() })
  }
  while ((await db.transaction(endSome)) > 0);
}

/** What was written until now is counted, so that the receiver sees in the next number that it has missed something. */
export async function endWaiting({ now }: Pick<Services, 'now'>, trx: Trx, id: string, error: string): Promise<void> {
  await numberDeliveries(trx, { webhookId: id, now: now() })
  await giveUpWaiting(trx, { kind: 'webhook', receiverId: id, error, now: now() })
}
