import type { Reader } from '../../storage/database.ts'
import { decodeCursor, type Position, toPage } from '../http/cursor.ts'
import { type AuditEntry, toEntry } from './audit-entry.ts'
import { type AuditFilter, listEventRows } from './audit-store.ts'

const positionOf = (row: { at: number; id: string }): Position => [row.at, row.id]

/** A page of entries, newest first. */
export async function listEvents(db: Reader, filter: AuditFilter, limit: number, after: Position | undefined) {
  const { rows, stop } = await listEventRows(db, filter, limit + 1, after)
  return toPage(rows, limit, positionOf, toEntry, stop && positionOf(stop))
}

const PAGE = 500

/** Everything that matches, a page at a time, so that a long list takes no more memory than a page. */
export async function* eachEvent(db: Reader, filter: AuditFilter, maxEntries: number, after: Position | undefined) {
  let left = maxEntries
  let from = after
  while (left > 0) {
    const page: { items: AuditEntry[]; nextCursor: string | null } = await listEvents(
      db,
      filter,
      Math.min(PAGE, left),
      from,
    )
    yield page.items
    left -= page.items.length
    if (page.nextCursor === null) return
    from = decodeCursor(page.nextCursor)
  }
}
