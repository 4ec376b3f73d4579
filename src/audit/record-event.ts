import type { Caller } from '../http/caller.ts'
import { newId } from '../ids.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'

/** Who did something: a person with a request, or the service itself. */
export interface Actor {
  id: string | null
  email: string | null
  caller: Caller | null
}

export const THE_SERVICE: Actor = { id: null, email: null, caller: null }

export interface AuditEvent {
  /** What was done, as `thing.verb`: `user.updated`, `session.started`. */
  action: string
  outcome: 'success' | 'refused'
  actor: Actor
  target?: { type: string; id: string }
  /** What else is worth knowing. Never a secret. */
  data?: Record<string, unknown>
}

/** Appends to the audit trail, in the transaction of what it tells of. Nothing ever changes or deletes an entry. */
export const recordEvent = (services: Pick<Services, 'now'>, db: Db, event: AuditEvent): Promise<void> =>
  recordEvents(services, db, [event])

export async function recordEvents({ now }: Pick<Services, 'now'>, db: Db, events: AuditEvent[]): Promise<void> {
  if (events.length === 0) return
  await db
    .insertInto('audit_events')
    .values(
      events.map(({ action, outcome, actor, target, data = {} }) => ({
        id: newId(),
        at: now(),
        action,
        outcome,
        actor_id: actor.id,
        actor_email: actor.email,
        target_type: target?.type ?? null,
        target_id: target?.id ?? null,
        ip_address: actor.caller?.ipAddress ?? null,
        user_agent: actor.caller?.userAgent ?? null,
        request_id: actor.caller?.requestId ?? null,
        data: JSON.stringify(data),
      })),
    )
    .execute()
}
