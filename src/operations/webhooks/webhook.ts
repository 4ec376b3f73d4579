import { Type } from 'typebox'
import { Nullable, OpenEnum, strict, Time } from '../../platform/http/contracts.ts'
import { VisibleText } from '../../platform/http/visible-name.ts'
import { AUDIT_ACTIONS } from '../../vocabulary/audit-actions.ts'
import { DELIVERY_STATES } from '../../vocabulary/receivers.ts'

const fields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description:
      'https, and public; OUTGOING_ALLOW can allow other addresses, and http there. What can’t be judged without a lookup is judged at each attempt.',
  }),
  events: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description:
      'Actions of the audit trail; `user.*` for all that begin so; `*` for all but refused acts, such as failed sign-ins, which have to be named. What is about webhooks is never sent.',
  }),
  description: VisibleText({ maxLength: 200 }),
  enabled: Type.Boolean({
    description: 'While it is off, nothing is sent or counted. What waits when it is turned off is given up.',
  }),
}

export const NewWebhook = Type.Object(
  {
    url: fields.url,
    events: fields.events,
    description: Type.Optional(fields.description),
    enabled: Type.Optional(fields.enabled),
  },
  strict,
)
export type NewWebhook = Type.Static<typeof NewWebhook>

export const WebhookChange = Type.Partial(Type.Object(fields), strict)
export type WebhookChange = Type.Static<typeof WebhookChange>

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    description: Type.String(),
    enabled: Type.Boolean(),
    createdAt: Time,
    lastStatus: Nullable(
      Type.Integer({ description: 'The HTTP status of the last attempt; null when there was none, or no answer.' }),
    ),
    lastAt: Nullable(Type.Integer({ description: 'When the last attempt was made, in epoch milliseconds.' })),
  },
  { title: 'Webhook' },
)
export type Webhook = Type.Static<typeof Webhook>

export const WebhookSecret = Type.String({
  description: 'Signs what is sent, as Standard Webhooks says. Shown this once.',
})

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of every attempt.' }),
    sequence: Nullable(
      Type.Integer({
        description: 'Consecutive per webhook. Null for a moment, and for what was given up before it was counted.',
      }),
    ),
    type: OpenEnum('AuditAction', AUDIT_ACTIONS),
    createdAt: Time,
    state: Type.Enum([...DELIVERY_STATES]),
    attempts: Type.Integer(),
    lastStatus: Nullable(Type.Integer()),
    lastError: Nullable(Type.String()),
    nextAttemptAt: Nullable(Time),
  },
  { title: 'WebhookDelivery' },
)
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>
