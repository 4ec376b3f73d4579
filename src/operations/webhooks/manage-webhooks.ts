import { atField, refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { administer } from '../../identity/sessions/administer.ts'
import { requireFresh } from '../../identity/sessions/fresh.ts'
import { sessionErrors } from '../../identity/sessions/session-errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import { forgetFailure } from '../../platform/outbox/receiver-store.ts'
import { isKnownEvent } from '../../platform/outbox/webhook-matching.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { endRest, endWaiting } from './turn-off-webhook.ts'
import { webhookErrors } from './webhook-errors.ts'
import { BOTH_SIGN_MS, newSecret, sealSecret } from './webhook-secret.ts'
import { addWebhook, countWebhooks, deleteWebhook, findWebhook, lockWebhook, updateWebhook } from './webhook-store.ts'
import type { NewWebhook, Webhook, WebhookChange } from './webhook.ts'

export type WebhookServices = Pick<Services, 'db' | 'now' | 'random' | 'vault' | 'outgoing'>

const MAX_WEBHOOKS = 50

export const refuseUnknown = (): never => refuse(webhookErrors.no_such_webhook())

/**
 * A change by somebody who may manage webhooks and read the audit trail, which webhooks carry outside. One at a time, as every
 * administrative change.
 */
export const administerWebhooks = <T>(
  services: Pick<Services, 'db' | 'now'>,
  actor: SignedInActor,
  change: (trx: Trx) => Promise<T>,
): Promise<T> =>
  administer(services, actor, async (trx, { permissions }) => {
    if (!permissions.has('audit:read')) throw sessionErrors.permission_needed({ permission: 'audit:read' })
    return change(trx)
  })

export const record = (
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  action: AuditAction & `webhook.${string}`,
  { actor, id, data, auditId }: { actor: SignedInActor; id: string; data?: Record<string, unknown>; auditId?: string },
): Promise<void> =>
  recordEvent({ now }, trx, {
    action,
    outcome: 'success',
    actor,
    target: { type: 'webhook', id },
    ...(data ? { data } : {}),
    ...(auditId === undefined ? {} : { id: auditId }),
  })

/** The audit trail has the host alone: the rest of an address may be a secret of the receiver. */
const recorded = ({ url, ...rest }: WebhookChange) => ({
  ...(url === undefined ? {} : { host: new URL(url).host }),
  ...rest,
})

function checkInput({ outgoing }: Pick<Services, 'outgoing'>, { url, events }: WebhookChange): void {
  const unknown = events?.findIndex((event) => !isKnownEvent(event)) ?? -1
  if (unknown >= 0)
    throw atField(`events.${unknown}`, webhookErrors.webhook_event_unknown({ event: events?.[unknown] ?? '' }))
  if (url !== undefined) outgoing.checkUrl(url, { path: 'url' })
}

export async function createWebhook(
  services: WebhookServices,
  input: NewWebhook,
  actor: SignedInActor,
): Promise<{ webhook: Webhook; secret: string }> {
  const { url, events, description = '', enabled = true } = input
  return administerWebhooks(services, actor, async (trx) => {
    checkInput(services, input)
    if ((await countWebhooks(trx)) >= MAX_WEBHOOKS) throw webhookErrors.too_many_webhooks({ max: MAX_WEBHOOKS })
    const id = newId()
    const secret = newSecret(services)
    await addWebhook(trx, {
      id,
      url,
      events: JSON.stringify(events),
      description,
      enabled: Number(enabled),
      secret_sealed: sealSecret(services, id, secret),
      previous_secret_sealed: null,
      previous_secret_until: null,
      created_at: services.now(),
    })
    await record(services, trx, 'webhook.created', {
      actor,
      id,
      data: recorded({ url, events, description, enabled }),
    })
    return { webhook: (await findWebhook(trx, id)) ?? refuseUnknown(), secret }
  })
}

/** Only what is different is changed and recorded. */
export async function changeWebhook(
  services: WebhookServices,
  id: string,
  input: WebhookChange,
  actor: SignedInActor,
): Promise<Webhook> {
  const isMerelyOff = input.enabled === false && Object.keys(input).length === 1
  const { isTurnedOff, webhook } = await administerWebhooks(services, actor, async (trx) => {
    if (!isMerelyOff) await requireFresh(services, trx, actor)
    await lockWebhook(trx, id)
    const before = (await findWebhook(trx, id)) ?? refuseUnknown()
    const changes = withoutSame(before, input)
    checkInput(services, changes)
    const { events, enabled, ...rest } = changes
    if (enabled === false) await endWaiting(services, trx, id, TURNED_OFF)
    await updateWebhook(trx, id, {
      ...rest,
      ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      ...(enabled === undefined ? {} : { enabled: Number(enabled) }),
    })
    if (changes.url !== undefined || enabled === true)
      await forgetFailure(trx, { kind: 'webhook', receiverId: id }, services.now())
    if (Object.keys(changes).length > 0)
      await record(services, trx, 'webhook.updated', { actor, id, data: recorded(changes) })
    return { isTurnedOff: enabled === false, webhook: (await findWebhook(trx, id)) ?? refuseUnknown() }
  })
  if (isTurnedOff) await endRest(services, id, TURNED_OFF)
  return webhook
}

const TURNED_OFF = 'turned off'
const DELETED = 'deleted'

const withoutSame = (before: Webhook, changes: WebhookChange): WebhookChange =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof WebhookChange]),
    ),
  )

/** What it was told stays in the receipts that list it. */
export async function removeWebhook(services: WebhookServices, id: string, actor: SignedInActor): Promise<void> {
  await administerWebhooks(services, actor, async (trx) => {
    const { url } = (await lockWebhook(trx, id)) ?? refuseUnknown()
    await endWaiting(services, trx, id, DELETED)
    await deleteWebhook(trx, id)
    await record(services, trx, 'webhook.deleted', { actor, id, data: recorded({ url }) })
  })
  await endRest(services, id, DELETED)
}

/** The secret before signs too for a day, so that the receiver can change over at any time. Of an older one nothing is left. */
export const rotateWebhookSecret = (
  services: WebhookServices,
  id: string,
  actor: SignedInActor,
): Promise<{ webhook: Webhook; secret: string }> =>
  administerWebhooks(services, actor, async (trx) => {
    const before = (await lockWebhook(trx, id)) ?? refuseUnknown()
    const secret = newSecret(services)
    await updateWebhook(trx, id, {
      secret_sealed: sealSecret(services, id, secret),
      previous_secret_sealed: before.secret_sealed,
      previous_secret_until: services.now() + BOTH_SIGN_MS,
    })
    await record(services, trx, 'webhook.secret_rotated', { actor, id })
    return { webhook: (await findWebhook(trx, id)) ?? refuseUnknown(), secret }
  })
