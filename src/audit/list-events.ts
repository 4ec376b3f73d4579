import { sql } from 'kysely'
import { decodeCursor, MAX_ROWS_EXAMINED, type Position, toPage } from '../http/cursor.ts'
import type { Reader } from '../storage/database.ts'
import { type AuditEntry, toEntry } from './audit-entry.ts'

export interface AuditFilter {
  action?: string
  actor?: string
  target?: string
  outcome?: string
  from?: number
  to?: number
}

/** Newest first. Times are compared alone and with their id: see `listUsers`. */
export async function listEvents(db: Reader, filter: AuditFilter, limit: number, after: Position | undefined) {
  const { served, sifting } = divide(filter)
  const walked = db
    .selectFrom('audit_events')
    .$if(served !== undefined, (query) => query.where(served ?? sql<boolean>`true`))
    .$if(filter.from !== undefined, (query) => query.where('at', '>=', filter.from ?? 0))
    .$if(filter.to !== undefined, (query) => query.where('at', '<', filter.to ?? 0))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`at <= ${after?.[0]} and (at, id) < (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
  const stop =
    sifting.length > 0
      ? await walked
          .select(['at', 'id'])
          .limit(1)
          .offset(MAX_ROWS_EXAMINED - 1)
          .executeTakeFirst()
      : undefined
  const rows = await walked
    .selectAll()
    .where((eb) => eb.and(sifting))
    .$if(stop !== undefined, (query) =>
      query.where(sql<boolean>`at >= ${stop?.at} and (at, id) >= (${stop?.at}, ${stop?.id})`),
    )
    .limit(limit + 1)
    .execute()
  const positionOf = (row: { at: number; id: string }): Position => [row.at, row.id]
  return toPage(rows, limit, positionOf, toEntry, stop && positionOf(stop))
}

/** Of what is asked for, the one condition that leaves least and has an index; and the others, which each row is asked. */
function divide({ action, actor, target, outcome }: AuditFilter) {
  const indexed = [
    ...(target === undefined ? [] : [sql<boolean>`target_id = ${target}`]),
    // Identifiers hold no @, and addresses are stored in lower case.
    ...(actor === undefined || actor.includes('@') ? [] : [sql<boolean>`actor_id = ${actor}`]),
    ...(action === undefined || action.endsWith('.*') ? [] : [sql<boolean>`action = ${action}`]),
  ]
  const others = [
    ...(actor?.includes('@') ? [sql<boolean>`actor_email = ${actor.toLowerCase()}`] : []),
    ...(action?.endsWith('.*') ? [beginsWith(action.slice(0, -1))] : []),
    ...(outcome === undefined ? [] : [sql<boolean>`outcome = ${outcome}`]),
  ]
  const [served, ...rest] = indexed
  return { served, sifting: [...rest, ...others] }
}

/** `user.updated` means that; `user.*` means all about users. */
const beginsWith = (start: string) =>
  sql<boolean>`action like ${`${start.replace(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`

const PAGE = 500

/** Everything that matches, a page at a time: as much as there is costs no more memory than a page. */
export async function* eachEvent(db: Reader, filter: AuditFilter, most: number, after: Position | undefined) {
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
