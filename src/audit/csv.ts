import type { AuditEntry } from './audit-entry.ts'

const COLUMNS: { name: string; value: (entry: AuditEntry) => string | null }[] = [
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

export const CSV_HEADER = `${COLUMNS.map(({ name }) => name).join(',')}\r\n`

/** RFC 4180. */
export const toCsv = (entries: AuditEntry[]): string =>
  entries.map((entry) => `${COLUMNS.map(({ value }) => cell(value(entry) ?? '')).join(',')}\r\n`).join('')

/** A cell that a spreadsheet would read as a formula is made text: names and addresses are written by strangers. */
const FORMULA = /^[=+\-@\t\r]/

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
