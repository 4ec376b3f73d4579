import type { AuditEntry } from './audit-entry.ts'

/** One entry a line (https://jsonlines.org), as exports, archives and log shippers have it. */
export const toJsonLines = (entries: AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
