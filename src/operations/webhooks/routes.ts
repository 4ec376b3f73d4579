import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needsBoth } from '../../identity/sessions/guards.ts'
import {
  ById,
  type Freshness,
  failures,
  NextCursor,
  PageQuery,
  type Routes,
  strict,
  Success,
  success,
} from '../../platform/http/contracts.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { Services } from '../../platform/services.ts'
import { changeWebhook, createWebhook, refuseUnknown, removeWebhook, rotateWebhookSecret } from './manage-webhooks.ts'
import { redeliver, testWebhook } from './send-again.ts'
import { findWebhook, listDeliveries, listWebhooks } from './webhook-store.ts'
import { NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookSecret } from './webhook.ts'

const tags = ['Webhooks']

const OneWebhook = Type.Object({ webhook: Webhook })
const WithSecret = Type.Object({ webhook: Webhook, secret: WebhookSecret })
const OneDelivery = Type.Object({ delivery: WebhookDelivery })

const DeliveryQuery = Type.Object(
  {
    ...PageQuery,
    sequence: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  strict,
)

/** Services outside that are told what is recorded in the audit trail. */
export const webhookRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { db } = services
    const guard = (freshness?: Freshness) => needsBoth(services, 'webhooks:manage', 'audit:read', freshness)

    app.get(
      '/api/admin/webhooks',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'List webhooks',
          description: 'Oldest first.',
          querystring: Type.Object(PageQuery, strict),
          response: {
            200: Type.Object({ webhooks: Type.Array(Webhook), nextCursor: NextCursor }),
            ...failures(400, 401, 403),
          },
        },
      },
      async ({ query }) => {
        const { items, nextCursor } = await listWebhooks(db.read, query.limit ?? 50, decodeCursor(query.cursor))
        return { webhooks: items, nextCursor }
      },
    )

    app.post(
      '/api/admin/webhooks',
      {
        onRequest: guard('fresh'),
        schema: {
          tags,
          summary: 'Add a webhook',
          description:
            'From now on the address gets a signed POST for each entry of the audit trail that matches `events`. At most 50 webhooks.',
          body: NewWebhook,
          response: { 201: WithSecret, ...failures(400, 401, 403, 409, 415) },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await createWebhook(services, request.body, actorOf(services, request))),
    )

    app.get(
      '/api/admin/webhooks/:id',
      {
        onRequest: guard(),
        schema: { tags, summary: 'A webhook', params: ById, response: { 200: OneWebhook, ...failures(401, 403, 404) } },
      },
      async ({ params }) => ({ webhook: (await findWebhook(db.read, params.id)) ?? refuseUnknown() }),
    )

    app.patch(
      '/api/admin/webhooks/:id',
      {
        onRequest: guard('sometimes_fresh'),
        schema: {
          tags,
          summary: 'Change a webhook, or turn it off or on',
          description:
            'What waits when it is turned off is given up. With another address, or when it is turned on, what waits is sent at once.',
          params: ById,
          body: WebhookChange,
          response: { 200: OneWebhook, ...failures(400, 401, 403, 404, 409, 415) },
        },
      },
      async (request) => ({
        webhook: await changeWebhook(services, request.params.id, request.body, actorOf(services, request)),
      }),
    )

    app.delete(
      '/api/admin/webhooks/:id',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'Delete a webhook',
          description: 'What waits is given up.',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await removeWebhook(services, request.params.id, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/admin/webhooks/:id/secret',
      {
        onRequest: guard('fresh'),
        schema: {
          tags,
          summary: 'Give a webhook a new secret',
          description: 'For 24 hours the new one and the one before both sign; older ones do no longer.',
          params: ById,
          response: { 200: WithSecret, ...failures(401, 403, 404) },
        },
      },
      (request) => rotateWebhookSecret(services, request.params.id, actorOf(services, request)),
    )

    app.post(
      '/api/admin/webhooks/:id/test',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'Send a test',
          description:
            'Sends `webhook.test`, whatever its events are. Tests and repeated deliveries: 10 a minute for a webhook. 409 while it is off.',
          params: ById,
          response: { 201: OneDelivery, ...failures(401, 403, 404, 409, 429) },
        },
      },
      async (request, reply) =>
        reply.code(201).send({ delivery: await testWebhook(services, request.params.id, actorOf(services, request)) }),
    )

    app.get(
      '/api/admin/webhooks/:id/deliveries',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'What a webhook was told, and what waits',
          description:
            'Newest first, kept for 30 days. What is in a delivery is in the audit trail. `sequence` finds one that the receiver has missed.',
          params: ById,
          querystring: DeliveryQuery,
          response: {
            200: Type.Object({ deliveries: Type.Array(WebhookDelivery), nextCursor: NextCursor }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async ({ params, query: { limit = 50, cursor, sequence } }) => {
        const after = decodeCursor(cursor)
        const { id: webhookId } = (await findWebhook(db.read, params.id)) ?? refuseUnknown()
        const { items, nextCursor } = await listDeliveries(db.read, { webhookId, sequence }, limit, after)
        return { deliveries: items, nextCursor }
      },
    )

    app.post(
      '/api/admin/webhooks/:id/deliveries/:deliveryId/redeliver',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'Send a delivery again',
          description:
            'With the same `webhook-id` and `sequence`, whatever became of it; one that waits is sent at once. 409 while the webhook is off, and when the entry was archived.',
          params: Type.Object({ ...ById.properties, deliveryId: Type.String({ minLength: 1, maxLength: 64 }) }),
          response: { 200: OneDelivery, ...failures(401, 403, 404, 409, 429) },
        },
      },
      async (request) => {
        const { id: webhookId, deliveryId } = request.params
        return { delivery: await redeliver(services, { webhookId, deliveryId }, actorOf(services, request)) }
      },
    )
  }
