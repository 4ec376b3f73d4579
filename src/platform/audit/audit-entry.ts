import { Type } from 'typebox'
import { AUDIT_ACTIONS, OUTCOMES } from '../../vocabulary/audit-actions.ts'
import { Nullable, OpenEnum, Time } from '../http/contracts.ts'
import type { CsvColumn } from '../http/csv.ts'
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
            'What the target is called today: the email of a user, or of the owner of a session or passkey; the name of a role, an application or a host; what a webhook is for, or its host. Absent in CSV.',
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

export const AUDIT_COLUMNS: CsvColumn<AuditEntry>[] = [
  { name: 'at', value: ({ at }) => new Date(at).toISOString() },
  { name: 'action', value: ({ action }) => action },
  { name: 'outcome', value: ({ outcome }) => outcome },
  { name: 'actorId', value: ({ actorId }) => actorId },
  { name: 'actorEmail', value: ({ actorEmail }) => actorEmail },
  { name: 'targetType', value: ({ targetType }) => targetType },
  { name: 'targetId', value: ({ targetId }) => targetId },
  { name: 'ipAddress', value: ({ ipAddress }) => ipAddress },
  { name: 'userAgent', value: ({ userAgent }) => userAgent },
  { name: 'requestId', value: ({ requestId }) => requestId },
  { name: 'data', value: ({ data }) => JSON.stringify(data) },
  { name: 'id', value: ({ id }) => id },
]

/** One entry a line (https://jsonlines.org), as exports and archives have it. */
export const toJsonLines = (entries: AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** The first page is read before the answer begins, so that a failure there is still answered with an error. */
export async function jsonLinesFile(pages: AsyncGenerator<AuditEntry[]>): Promise<AsyncGenerator<string>> {
  const first = await pages.next()
  return (async function* () {
    if (first.done) return
    yield toJsonLines(first.value)
    for await (const page of pages) yield toJsonLines(page)
  })()
}
