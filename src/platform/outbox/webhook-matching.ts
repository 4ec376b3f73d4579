import type { Trx } from '../../storage/database.ts'
import { AUDIT_ACTIONS, type AuditAction, type Outcome } from '../../vocabulary/audit-actions.ts'
import { addDeliveries } from './delivery-store.ts'
import { listEnabledWebhooks } from './webhook-store.ts'

/** All that was recorded as done. What was refused is sent only where its action or prefix is named. */
const EVERYTHING = '*'
const isPrefix = (event: string): boolean => event.endsWith('.*')
const hasPrefix = (action: string, event: string): boolean => action.startsWith(event.slice(0, -1))

/** What is about webhooks themselves would cause itself again and again. */
const isNeverSent = (action: string): boolean => action.startsWith('webhook.')

/** Whether there is something that it could mean. */
export const isKnownEvent = (event: string): boolean =>
  event === EVERYTHING ||
  AUDIT_ACTIONS.some(
    (action) => !isNeverSent(action) && (isPrefix(event) ? hasPrefix(action, event) : action === event),
  )

/** Whether a webhook with these events is told. */
export const isWanted = (
  events: readonly string[],
  { action, outcome }: { action: AuditAction; outcome: Outcome },
): boolean =>
  !isNeverSent(action) &&
  events.some((event) =>
    event === EVERYTHING ? outcome === 'success' : isPrefix(event) ? hasPrefix(action, event) : event === action,
  )

/** An entry of the audit trail that was just recorded. */
export interface RecordedFact {
  /** Its place there. */
  audit: { id: string; at: number }
  action: AuditAction
  outcome: Outcome
  /** Whom it is about. */
  personId: string | null
  /** The disable whose receipt lists who was told. */
  lifecycleActionId: string | undefined
}

/** Adds what every webhook is to be told of these entries. No row of a webhook is locked: its numbers are given after the commit. */
export async function tellWebhooks(trx: Trx, facts: RecordedFact[], now: number): Promise<void> {
  const webhooks = await listEnabledWebhooks(trx)
  const deliveries = facts.flatMap((fact) =>
    webhooks
      .filter(({ events }) => isWanted(events, fact))
      .map(({ id }) => ({
        kind: 'webhook' as const,
        receiverId: id,
        personId: fact.personId,
        type: fact.action,
        fact: { audit: fact.audit },
        actionId: fact.lifecycleActionId,
      })),
  )
  await addDeliveries(trx, deliveries, now)
}
