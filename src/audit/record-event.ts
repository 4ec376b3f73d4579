import type { Insertable } from 'kysely'
import type { RequestSource } from '../http/request-source.ts'
import { newOrderedId } from '../ids.ts'
import type { Database, Trx } from '../storage/database.ts'
import type { Schema } from '../storage/schema.ts'
import { writeStatement, type Values } from '../storage/statement.ts'
import type { AuditAction, Outcome } from '../vocabulary/audit-actions.ts'

/** Who did something: a person with a request, or the service itself. */
export interface Actor {
  id: string | null
  email: string | null
  source: RequestSource | null
}

export const THE_SERVICE: Actor = { id: null, email: null, source: null }

export interface AuditEvent {
  action: AuditAction
  outcome: Outcome
  actor: Actor
  target?: { type: string; id: string }
  /** What else is worth knowing. Never a secret. */
  data?: Record<string, unknown>
}

interface Needs {
  now: () => number
  observeEvent?: (event: AuditEvent) => void
}

/** Appends to the audit trail, in the transaction of what it tells of. Nothing ever changes or deletes an entry. */
export async function recordEvent({ now, observeEvent }: Needs, trx: Trx, event: AuditEvent): Promise<void> {
  observeEvent?.(event)
  await insertOne(trx, toRow(event, now()))
}

/** For what has no change to go with, such as a refusal. */
export const recordAlone = (services: Needs & { db: Database }, event: AuditEvent): Promise<void> =>
  services.db.transaction((trx) => recordEvent(services, trx, event))

/** A statement has room for so many values, and nobody waits long for one. */
const MAX_ROWS = 100

export async function recordEvents({ now, observeEvent }: Needs, trx: Trx, events: AuditEvent[]): Promise<void> {
  for (const event of events) observeEvent?.(event)
  for (let at = 0; at < events.length; at += MAX_ROWS) {
    const rows = events.slice(at, at + MAX_ROWS).map((event) => toRow(event, now()))
    await trx.insertInto('audit_events').values(rows).execute()
  }
}

type Row = Insertable<Schema['audit_events']>

const toRow = ({ action, outcome, actor, target, data = {} }: AuditEvent, at: number): Row => ({
  id: newOrderedId(),
  at,
  action,
  outcome,
  actor_id: actor.id,
  actor_email: actor.email,
  target_type: target?.type ?? null,
  target_id: target?.id ?? null,
  ip_address: actor.source?.ipAddress ?? null,
  user_agent: actor.source?.userAgent ?? null,
  request_id: actor.source?.requestId ?? null,
  data: JSON.stringify(data),
})

const insertOne = writeStatement((db, value: Values<Row>) =>
  db.insertInto('audit_events').values({
    id: value('id'),
    at: value('at'),
    action: value('action'),
    outcome: value('outcome'),
    actor_id: value('actor_id'),
    actor_email: value('actor_email'),
    target_type: value('target_type'),
    target_id: value('target_id'),
    ip_address: value('ip_address'),
    user_agent: value('user_agent'),
    request_id: value('request_id'),
    data: value('data'),
  }),
)
