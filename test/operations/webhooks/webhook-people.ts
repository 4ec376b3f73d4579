import assert from 'node:assert/strict'
import type { Webhook, WebhookDelivery } from '../../../src/operations/webhooks/webhook.ts'
import { recordAlone } from '../../../src/platform/audit/record-event.ts'
import type { AuditAction } from '../../../src/vocabulary/audit-actions.ts'
import type { TestApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'

export const RECEIVER = 'https://receiver.example/in?key=known-to-the-receiver-alone'
export const WEBHOOKS = '/api/admin/webhooks'

/** Somebody who may manage webhooks, and what they do. */
export async function webhookManager(app: TestApp) {
  const manager = await signedInPerson(app, { permissions: ['webhooks:manage', 'audit:read'] })
  const add = async (body: object = {}): Promise<{ webhook: Webhook; secret: string }> => {
    const answer = await manager.post(WEBHOOKS, { url: RECEIVER, events: ['user.*'], ...body })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json()
  }
  const deliveries = async (id: string, query = '') =>
    (await manager.get(`${WEBHOOKS}/${id}/deliveries${query}`)).json<{
      deliveries: WebhookDelivery[]
      nextCursor: string | null
    }>()
  return { manager, add, deliveries }
}

/** Something that happens to a person. */
export const happens = (app: TestApp, action: AuditAction = 'user.updated', userId = 'usr_ada') =>
  recordAlone(app.services, {
    action,
    outcome: 'success',
    actor: { id: 'usr_admin', email: 'admin@example.com', source: null },
    target: { type: 'user', id: userId },
    data: { displayName: 'Ada' },
  })
