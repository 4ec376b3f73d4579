import type { Reader } from '../../storage/database.ts'
import { decodeCursor, toPage, type Position } from '../http/cursor.ts'
import { nameWebhooks } from '../outbox/told-receivers.ts'
import { toEntry, type AuditEntry } from './audit-entry.ts'
import { listEventRows, type AuditFilter } from './audit-store.ts'

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

/** The person whom an entry is about: the target, or the owner of the session or passkey that is the target. */
const personOf = ({ targetType, targetId, data }: AuditEntry): string | null => {
  if (targetType === 'user') return targetId
  return typeof data['userId'] === 'string' ? data['userId'] : null
}

/** Adds what the targets are called today. What was deleted has no name any more. */
export async function nameTargets(db: Reader, entries: AuditEntry[]): Promise<AuditEntry[]> {
  const idsOf = (type: string) => entries.flatMap((entry) => (entry.targetType === type && entry.targetId) || [])
  const people = entries.flatMap((entry) => personOf(entry) ?? [])
  const names = new Map([
    ...(await namesOf(people, (ids) =>
      db.selectFrom('users').select(['id', 'email as name']).where('id', 'in', ids).where('deleted_at', 'is', null),
    )),
    ...(await namesOf(idsOf('role'), (ids) => db.selectFrom('roles').select(['id', 'name']).where('id', 'in', ids))),
    ...(await namesOf(idsOf('ssh_host'), (ids) =>
      db.selectFrom('ssh_hosts').select(['id', 'name']).where('id', 'in', ids),
    )),
    ...(await namesOf(idsOf('oauth_client'), (ids) =>
      db
        .selectFrom('oauth_clients')
        .select(['client_id as id', 'name'])
        .where('client_id', 'in', ids)
        .where('deleted_at', 'is', null),
    )),
    ...(await nameWebhooks(db, idsOf('webhook'))),
  ])
  return entries.map((entry) => ({
    ...entry,
    targetName: names.get(entry.targetId ?? '') ?? names.get(personOf(entry) ?? '') ?? null,
  }))
}

type Named = { id: string; name: string }

async function namesOf(
  ids: string[],
  query: (ids: string[]) => { execute(): Promise<Named[]> },
): Promise<[string, string][]> {
  if (ids.length === 0) return []
  const rows = await query([...new Set(ids)]).execute()
  return rows.map(({ id, name }) => [id, name])
}
