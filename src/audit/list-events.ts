import { sql } from 'kysely'
import { decodeCursor, type Position, toPage } from '../http/cursor.ts'
import type { Db } from '../storage/schema.ts'
import { type AuditEntry, toEntry } from './audit-entry.ts'

export interface AuditFilter {
  action?: string
  actor?: string
  target?: string
  outcome?: string
  from?: number
  to?: number
}

/** Newest first. */
export async function listEvents(db: Db, filter: AuditFilter, limit: number, after: Position | undefined) {
  const { action, actor, target, outcome, from, to } = filter
  const rows = await db
    .selectFrom('audit_events')
    .selectAll()
    .$if(action !== undefined, (query) => query.where(matchesAction(action ?? '')))
    .$if(actor !== undefined, (query) =>
      // Identifiers hold no @, and addresses are stored in lower case.
      actor?.includes('@')
        ? query.where('actor_email', '=', actor.toLowerCase())
        : query.where('actor_id', '=', actor ?? ''),
    )
    .$if(target !== undefined, (query) => query.where('target_id', '=', target ?? ''))
    .$if(outcome !== undefined, (query) => query.where('outcome', '=', outcome ?? ''))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('at', '<', to ?? 0))
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(at, id) < (${after?.[0]}, ${after?.[1]})`))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.at, row.id], toEntry)
}

/** `user.updated` means that; `user.*` means all about users. */
const matchesAction = (action: string) =>
  action.endsWith('.*')
    ? sql<boolean>`action like ${`${action.slice(0, -1).replace(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`
    : sql<boolean>`action = ${action}`

const PAGE = 500

/** Everything that matches, a page at a time: as much as there is costs no more memory than a page. */
export async function* eachEvent(db: Db, filter: AuditFilter, most: number, after: Position | undefined) {
  let left = most
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
