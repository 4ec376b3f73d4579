import type { IdentityServices } from '../../identity/access-events.ts'
import { createLogoutSender } from '../../oauth/logout/logout-sender.ts'
import { createSignalSender } from '../../oauth/signals/push-signals.ts'
import type { Senders } from '../../platform/outbox/sender.ts'
import { createWebhookSender } from '../webhooks/webhook-sender.ts'

/** How each kind of receiver is told. */
export const createSenders = (services: IdentityServices): Senders => ({
  logout: createLogoutSender(services),
  webhook: createWebhookSender(services),
  signals: createSignalSender(services),
})
