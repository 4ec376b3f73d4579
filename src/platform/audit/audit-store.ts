import { type Insertable, type Selectable, sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import type { AuditAction, Outcome } from '../../vocabulary/audit-actions.ts'
import { MAX_ROWS_EXAMINED, type Position } from '../http/cursor.ts'

export type EventRow = Selectable<Schema['audit_events']>
export type NewEventRow = Insertable<Schema['audit_events']>

/** Returned by the insert, so that entries cost no other statement while no webhook is on. */
const isWebhookOn = sql<boolean>`exists (select 1 from webhooks where enabled = 1)`.as('isWebhookOn')

const insertOne = writeStatement((db, value: Values<Required<NewEventRow>>) =>
  db
    .insertInto('audit_events')
    .values({
      id: value('id'),
      at: value('at'),
      action: value('action'),
      outcome: value('outcome'),
      method: value('method'),
      actor_id: value('actor_id'),
      actor_email: value('actor_email'),
      target_type: value('target_type'),
      target_id: value('target_id'),
      ip_address: value('ip_address'),
      user_agent: value('user_agent'),
      request_id: value('request_id'),
      data: value('data'),
    })
    .returning(isWebhookOn),
)

/** Returns whether a webhook is on. */
export async function addEvent(trx: Trx, row: Required<NewEventRow>): Promise<boolean> {
  const [added] = await insertOne(trx, row)
  return Boolean(added?.isWebhookOn)
}

/** A statement takes a limited number of values, and others wait for it. */
const MAX_ROWS = 100

/** Likewise. */
export async function addEvents(trx: Trx, rows: NewEventRow[]): Promise<boolean> {
  let isAnyOn = false
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    const [added] = await trx
      .insertInto('audit_events')
      .values(rows.slice(at, at + MAX_ROWS))
      .returning(isWebhookOn)
      .execute()
    isAnyOn ||= Boolean(added?.isWebhookOn)
  }
  return isAnyOn
}

export const findEventRow = (db: Reader, id: string): Promise<EventRow | undefined> =>
  db.selectFrom('audit_events').selectAll().where('id', '=', id).executeTakeFirst()

/** Oldest first. */
export const listOldestEvents = (db: Reader, before: number, limit: number): Promise<EventRow[]> =>
  db.selectFrom('audit_events').selectAll().where('at', '<', before).orderBy('at').orderBy('id').limit(limit).execute()

/** Only those that were archived. */
export async function deleteEvents(trx: Trx, ids: string[]): Promise<void> {
  await trx.deleteFrom('audit_events').where('id', 'in', ids).execute()
}

export interface AuditFilter {
  /** An action, or `user.*` for all about users. May be one that this version does not know. */
  action?: string
  actor?: string
  target?: string
  /** An id that is the actor or the target. Not together with those. */
  about?: string
  outcome?: Outcome
  from?: number
  to?: number
  /** Who reads. What is planned for an account is not shown to its own person. Null when no person reads. */
  viewerId: string | null
}

type Place = Pick<EventRow, 'at' | 'id'>

interface Found {
  rows: EventRow[]
  /** The last row that was examined, if the search stopped before it had found enough. */
  stop: Place | undefined
}

/** Newest first. */
export async function listEventRows(
  db: Reader,
  { about, ...filter }: AuditFilter,
  limit: number,
  after: Position | undefined,
): Promise<Found> {
  if (about === undefined) return searchRows(db, filter, limit, after)
  // Two searches, each with an index of its own: neither engine uses both for one condition with OR.
  const asActor = await searchRows(db, { ...filter, actor: about }, limit, after)
  const asTarget = await searchRows(db, { ...filter, target: about }, limit, after)
  return mergeFound(asActor, asTarget, limit)
}

const newestFirst = (one: Place, other: Place): number =>
  other.at - one.at || (other.id < one.id ? -1 : Number(other.id > one.id))

/** An entry that both have found is listed once. Beyond the place where one of them stopped, nothing is known yet. */
function mergeFound(one: Found, other: Found, limit: number): Found {
  const stops = [one.stop, other.stop].filter((stop) => stop !== undefined)
  const stop = stops.toSorted(newestFirst)[0]
  const rows = [...new Map([...one.rows, ...other.rows].map((row) => [row.id, row])).values()]
    .filter((row) => stop === undefined || newestFirst(row, stop) <= 0)
    .toSorted(newestFirst)
    .slice(0, limit)
  return { rows, stop }
}

/** Times are compared alone and together with their id, for the reason given in `listUsers`. */
async function searchRows(
  db: Reader,
  filter: Omit<AuditFilter, 'about'>,
  limit: number,
  after: Position | undefined,
): Promise<Found> {
  const { indexed, others } = conditionsOf(filter)
  const examined = db
    .selectFrom('audit_events')
    .$if(indexed !== undefined, (query) => query.where(indexed ?? sql<boolean>`true`))
    .$if(filter.viewerId !== null, (query) => query.where(isShownTo(filter.viewerId ?? '')))
    .$if(filter.from !== undefined, (query) => query.where('at', '>=', filter.from ?? 0))
    .$if(filter.to !== undefined, (query) => query.where('at', '<', filter.to ?? 0))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`at <= ${after?.[0]} and (at, id) < (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
  const stop =
    others.length > 0
      ? await examined
          .select(['at', 'id'])
          .limit(1)
          .offset(MAX_ROWS_EXAMINED - 1)
          .executeTakeFirst()
      : undefined
  const rows = await examined
    .selectAll()
    .where((eb) => eb.and(others))
    .$if(stop !== undefined, (query) =>
      query.where(sql<boolean>`at >= ${stop?.at} and (at, id) >= (${stop?.at}, ${stop?.id})`),
    )
    .limit(limit)
    .execute()
  return { rows, stop }
}

/** The condition that has an index and leaves the fewest rows, and the others, which are checked on each of those rows. */
function conditionsOf({ action, actor, target, outcome }: AuditFilter) {
  const withIndex = [
    ...(target === undefined ? [] : [sql<boolean>`target_id = ${target}`]),
    // Identifiers hold no @, and addresses are stored in lower case.
    ...(actor === undefined || actor.includes('@') ? [] : [sql<boolean>`actor_id = ${actor}`]),
    ...(action === undefined || action.endsWith('.*') ? [] : [sql<boolean>`action = ${action}`]),
  ]
  const withoutIndex = [
    ...(actor?.includes('@') ? [sql<boolean>`actor_email = ${actor.toLowerCase()}`] : []),
    ...(action?.endsWith('.*') ? [beginsWith(action.slice(0, -1))] : []),
    ...(outcome === undefined ? [] : [sql<boolean>`outcome = ${outcome}`]),
  ]
  const [indexed, ...rest] = withIndex
  return { indexed, others: [...rest, ...withoutIndex] }
}

const isShownTo = (viewerId: string) =>
  sql<boolean>`(target_id is null or target_id <> ${viewerId} or action not like 'lifecycle.%')`

/** `user.updated` means that; `user.*` means all about users. */
const beginsWith = (start: string) =>
  sql<boolean>`action like ${`${start.replace(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`

export interface EventCount extends Pick<EventRow, 'action' | 'method'> {
  count: number
}

/** How often each of these actions was recorded in a span of time, by how the person proved who they are. */
export const countEventsBetween = (
  db: Reader,
  actions: readonly AuditAction[],
  from: number,
  to: number,
): Promise<EventCount[]> =>
  db
    .selectFrom('audit_events')
    .select(['action', 'method'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('action', 'in', actions)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(['action', 'method'])
    .execute()
