import { Type } from 'typebox'
import { AUDIT_ACTIONS, OUTCOMES } from '../../vocabulary/audit-actions.ts'
import { Nullable, OpenEnum, Time } from '../http/contracts.ts'
import type { EventRow } from './audit-store.ts'

export const Outcome = Type.Enum([...OUTCOMES])

/** One line of the audit trail: who did what to whom, when, and from where. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: Time,
    action: OpenEnum('AuditAction', AUDIT_ACTIONS),
    outcome: Outcome,
    actorId: Nullable(Type.String()),
    actorEmail: Nullable(Type.String()),
    targetType: Nullable(Type.String()),
    targetId: Nullable(Type.String()),
    targetName: Type.Optional(
      Nullable(
        Type.String({
          description:
            'What the target is called today: the email of a user, or of the owner of a session or passkey; the name of a role, an application or a host. Absent in CSV.',
        }),
      ),
    ),
    ipAddress: Nullable(Type.String()),
    userAgent: Nullable(Type.String()),
    requestId: Nullable(Type.String()),
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Type.Static<typeof AuditEntry>

export const toEntry = (row: EventRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  action: row.action,
  outcome: row.outcome,
  actorId: row.actor_id,
  actorEmail: row.actor_email,
  targetType: row.target_type,
  targetId: row.target_id,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  requestId: row.request_id,
  data: JSON.parse(row.data) as Record<string, unknown>,
})
