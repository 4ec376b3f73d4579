import type { CsvColumn } from '../http/csv.ts'
import type { AuditEntry } from './audit-entry.ts'

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
