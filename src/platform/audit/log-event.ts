import type { Logger } from 'pino'
import type { AuditEvent } from './record-event.ts'

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
