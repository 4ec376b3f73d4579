import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { findEventRow } from '../../platform/audit/audit-store.ts'
import { newId, newOrderedId } from '../../platform/ids.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { addDeliveries, triedUntil } from '../../platform/outbox/delivery-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { administerWebhooks, record, refuseUnknown } from './manage-webhooks.ts'
import { webhookErrors } from './webhook-errors.ts'
import {
  auditIdOf,
  findStoredWebhook,
  lockDelivery,
  lockWebhook,
  restartDelivery,
  toDelivery,
} from './webhook-store.ts'
import type { WebhookDelivery } from './webhook.ts'

type SendServices = Pick<Services, 'db' | 'now' | 'limits'>

/** What people cause to be sent to one webhook: tests, and what was sent before. */
async function countRequest({ db, limits }: SendServices, webhookId: string): Promise<void> {
  if (!(await findStoredWebhook(db.read, webhookId))) refuseUnknown()
  if (await limits.fail(LIMITS.webhookRequests, webhookId)) return
  const { max, windowMs } = LIMITS.webhookRequests
  throw webhookErrors.too_many_webhook_requests({ max }, { retryAfter: windowMs / 1000 })
}

/** Sends `webhook.test`, whatever the webhook wants to be told. */
export async function testWebhook(services: SendServices, id: string, actor: SignedInActor): Promise<WebhookDelivery> {
  await countRequest(services, id)
  return administerWebhooks(services, actor, async (trx) => {
    const { enabled } = (await lockWebhook(trx, id)) ?? refuseUnknown()
    if (enabled !== 1) throw webhookErrors.webhook_off()
    const [deliveryId, auditId] = [newId(), newOrderedId()]
    await record(services, trx, 'webhook.test', { actor, id, auditId })
    const now = services.now()
    const test = { id: deliveryId, kind: 'webhook', receiverId: id, personId: actor.id, type: 'webhook.test' } as const
    await addDeliveries(trx, [{ ...test, fact: { audit: { id: auditId, at: now } } }], now)
    return readDelivery(trx, { webhookId: id, deliveryId })
  })
}

/** Sends it again, with the same id and sequence, whatever became of it. */
export async function redeliver(
  services: SendServices,
  which: { webhookId: string; deliveryId: string },
  actor: SignedInActor,
): Promise<WebhookDelivery> {
  await countRequest(services, which.webhookId)
  return administerWebhooks(services, actor, async (trx) => {
    const { enabled } = (await lockWebhook(trx, which.webhookId)) ?? refuseUnknown()
    const delivery = (await lockDelivery(trx, which)) ?? refuse(webhookErrors.no_such_delivery())
    if (enabled !== 1) throw webhookErrors.webhook_off()
    if (!(await findEventRow(trx, auditIdOf(delivery.fact)))) throw webhookErrors.webhook_entry_gone()
    const now = services.now()
    await restartDelivery(trx, delivery.number, { now, expiresAt: triedUntil('webhook', now) })
    const data = { deliveryId: delivery.id, sequence: delivery.sequence, type: delivery.type }
    await record(services, trx, 'webhook.redelivered', { actor, id: which.webhookId, data })
    return readDelivery(trx, which)
  })
}

const readDelivery = async (trx: Trx, which: { webhookId: string; deliveryId: string }): Promise<WebhookDelivery> =>
  toDelivery((await lockDelivery(trx, which)) ?? refuse(webhookErrors.no_such_delivery()))
