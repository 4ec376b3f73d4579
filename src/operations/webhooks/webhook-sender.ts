import { createHmac } from 'node:crypto'
import { toEntry } from '../../platform/audit/audit-entry.ts'
import { findEventRow } from '../../platform/audit/audit-store.ts'
import { nameTargets } from '../../platform/audit/list-events.ts'
import type { Sender } from '../../platform/outbox/sender.ts'
import { numberAll } from '../../platform/outbox/webhook-store.ts'
import type { Services } from '../../platform/services.ts'
import { isDue } from '../../storage/columns.ts'
import { turnOffWebhook } from './turn-off-webhook.ts'
import { webhookBody } from './webhook-body.ts'
import { BOTH_SIGN_MS, keyOf, openSecret } from './webhook-secret.ts'
import { auditIdOf, findStoredWebhook, type StoredWebhook } from './webhook-store.ts'

const GONE = 410

/** Sends what webhooks are told, as Standard Webhooks says (https://www.standardwebhooks.com). */
export const createWebhookSender = (services: Pick<Services, 'db' | 'now' | 'vault'>): Sender => ({
  beforeClaim: () => numberAll(services),

  async prepare({ id, receiverId, fact, sequence }) {
    const { db, now } = services
    const webhook = await findStoredWebhook(db.read, receiverId)
    if (!webhook) return { state: 'given_up', error: 'deleted' }
    if (webhook.enabled !== 1 || sequence === null) return { state: 'given_up', error: 'turned off' }
    const row = await findEventRow(db.read, auditIdOf(fact))
    if (!row) return { state: 'given_up', error: 'its entry was archived' }
    const [entry] = await nameTargets(db.read, [toEntry(row)])
    const body = webhookBody(entry ?? toEntry(row), sequence)
    const at = now()
    const timestamp = String(Math.floor(at / 1000))
    return {
      url: webhook.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Latchkey',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': secretsOf(services, webhook, at)
          .map((secret) => `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`)
          .join(' '),
      },
      body,
    }
  },

  judge: (_delivery, { status }) =>
    status >= 200 && status < 300 ? 'acknowledged' : status === GONE ? 'refused' : 'retry',

  async settled(trx, { receiverId }, { outcome, status }) {
    if (outcome === 'refused' && status === GONE) await turnOffWebhook(services, trx, receiverId, 'gone')
  },
})

/** Two during the day after a change. A time further ahead was written under a wrong clock. */
function secretsOf(services: Pick<Services, 'vault'>, webhook: StoredWebhook, now: number): string[] {
  const { id, secret_sealed, previous_secret_sealed: previous, previous_secret_until: until } = webhook
  const bothSign = previous !== null && until !== null && !isDue(until, now, BOTH_SIGN_MS)
  return [secret_sealed, ...(bothSign ? [previous] : [])].map((sealed) => openSecret(services, id, sealed))
}

const sign = (secret: string, content: string): string =>
  createHmac('sha256', keyOf(secret)).update(content).digest('base64')
