import { defineErrors } from '../../errors.ts'

export const webhookErrors = defineErrors({
  no_such_delivery: ['not_found', 'There is no such delivery.'],
  no_such_webhook: ['not_found', 'There is no such webhook.'],
  too_many_webhook_requests: [
    'too_many_requests',
    'At most {max} tests and repeated deliveries a minute are sent to a webhook. Try again in a minute.',
  ],
  too_many_webhooks: ['conflict', 'There are already {max} webhooks.'],
  webhook_entry_gone: ['conflict', 'The entry of the audit trail was archived, so it can’t be sent again.'],
  webhook_event_unknown: [
    'invalid_input',
    '{event} is not an action of the audit trail that is sent, nor the beginning of one, such as user.*.',
  ],
  webhook_off: ['conflict', 'This webhook is turned off. Turn it on first.'],
})
