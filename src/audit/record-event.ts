import type { DialectAdapter } from 'kysely'
import type { Caller } from '../http/caller.ts'
import { newOrderedId } from '../ids.ts'
import type { Services } from '../services.ts'
import { rowInserter } from '../storage/row-inserter.ts'
import type { Db, Trx } from '../storage/schema.ts'

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

const insertEvents = rowInserter('audit_events', [
  'id',
  'at',
  'action',
  'outcome',
  'actor_id',
  'actor_email',
  'target_type',
  'target_id',
  'ip_address',
  'user_agent',
  'request_id',
  'data',
])

/** Appends to the audit trail, in the transaction of what it tells of. Nothing ever changes or deletes an entry. */
export const recordEvent = (services: Pick<Services, 'now'>, trx: Trx, event: AuditEvent): Promise<void> =>
  recordEvents(services, trx, [event])

/** For what has no change to go with, such as a refusal. */
export const recordAlone = (services: Pick<Services, 'db' | 'now'>, event: AuditEvent): Promise<void> =>
  services.db.transaction().execute((trx) => recordEvent(services, trx, event))

/** Tells what is recorded on this database, in a transaction that may still fail. */
export const observeEvents = (db: Db, observer: (event: AuditEvent) => void): void =>
  void observers.set(db.getExecutor().adapter, observer)

const observers = new WeakMap<DialectAdapter, (event: AuditEvent) => void>()

export const recordEvents = ({ now }: Pick<Services, 'now'>, trx: Trx, events: AuditEvent[]): Promise<void> => {
  const observe = observers.get(trx.getExecutor().adapter)
  if (observe) events.forEach(observe)
  return insertEvents(
    trx,
    events.map(({ action, outcome, actor, target, data = {} }) => ({
      id: newOrderedId(),
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
}
