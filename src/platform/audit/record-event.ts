import type { Logger } from 'pino'
import type { Database, Trx } from '../../storage/database.ts'
import type { AuditAction, Outcome } from '../../vocabulary/audit-actions.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { RequestSource } from '../http/request-source.ts'
import { newOrderedId } from '../ids.ts'
import { type RecordedFact, tellWebhooks } from '../outbox/webhook-matching.ts'
import { addEvent, addEvents, type NewEventRow } from './audit-store.ts'

/** Who did something: a person with a request, or the service itself. */
export interface Actor {
  id: string | null
  email: string | null
  source: RequestSource | null
}

export const THE_SERVICE: Actor = { id: null, email: null, source: null }

export interface AuditEvent {
  /** Made before, where something refers to the entry. */
  id?: string
  action: AuditAction
  outcome: Outcome
  /** How somebody proved who they are, or tried to. */
  method?: SignInMethod
  actor: Actor
  target?: { type: string; id: string }
  /** What else is worth knowing. Never a secret. */
  data?: Record<string, unknown>
}

interface AuditServices {
  now: () => number
  observeEvent?: (event: AuditEvent) => void
}

/** Appends to the audit trail, in the transaction of the change itself. Entries are never changed, and deleted only when they are archived. */
export async function recordEvent({ now, observeEvent }: AuditServices, trx: Trx, event: AuditEvent): Promise<void> {
  if (observeEvent) trx.afterCommit(() => observeEvent(event))
  const row = toRow(event, now())
  if (await addEvent(trx, row)) await tellWebhooks(trx, [toFact(event, row)], row.at)
}

/** For an event without a change, such as a failed sign-in. */
export const recordAlone = (services: AuditServices & { db: Database }, event: AuditEvent): Promise<void> =>
  services.db.transaction((trx) => recordEvent(services, trx, event))

export async function recordEvents(
  { now, observeEvent }: AuditServices,
  trx: Trx,
  events: AuditEvent[],
): Promise<void> {
  if (observeEvent) trx.afterCommit(() => events.forEach(observeEvent))
  const at = now()
  const recorded = events.map((event) => ({ event, row: toRow(event, at) }))
  const rows = recorded.map(({ row }) => row)
  if (!(await addEvents(trx, rows))) return
  const facts = recorded.map(({ event, row }) => toFact(event, row))
  await tellWebhooks(trx, facts, at)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const toFact = (
  { action, outcome, actor, target, data }: AuditEvent,
  { id, at }: Pick<NewEventRow, 'id' | 'at'>,
): RecordedFact => ({
  audit: { id, at },
  action,
  outcome,
  personId: (target?.type === 'user' ? target.id : textOf(data?.['userId'])) ?? actor.id,
  lifecycleActionId: action === 'user.disabled' ? textOf(data?.['lifecycleActionId']) : undefined,
})

/** The method is in the data too, where those who read the audit trail find it. */
const toRow = (
  { id, action, outcome, method, actor, target, data }: AuditEvent,
  at: number,
): Required<NewEventRow> => ({
  id: id ?? newOrderedId(),
  at,
  action,
  outcome,
  method: method ?? null,
  actor_id: actor.id,
  actor_email: actor.email,
  target_type: target?.type ?? null,
  target_id: target?.id ?? null,
  ip_address: actor.source?.ipAddress ?? null,
  user_agent: actor.source?.userAgent ?? null,
  request_id: actor.source?.requestId ?? null,
  data: JSON.stringify({ ...(method ? { method } : {}), ...data }),
})

/** One line in the log for an entry of the audit trail, once it is durable, so that a log shipper can forward it. */
export function logEvent(log: Logger, { action, outcome, method, actor, target, data }: AuditEvent): void {
  log.info(
    {
      audit: action,
      outcome,
      ...(method && { method }),
      actorId: actor.id,
      actorEmail: actor.email,
      ip: actor.source?.ipAddress ?? null,
      requestId: actor.source?.requestId ?? null,
      ...(target && { targetType: target.type, targetId: target.id }),
      ...(data && { data }),
    },
    'audit',
  )
}
