import type { Reader, Trx } from '../../storage/database.ts'
import {
  MAX_REFUSALS,
  type Refusal,
  REFUSAL_KEPT_MS,
  type RefusalContent,
  type RefusalRow,
  toColumns,
} from './refusal-store.ts'

export interface UnknownRefusalRow extends RefusalRow {
  clientId: string
}

/** How many of one unknown client_id are kept, the newest. */
const MAX_OF_ONE_ID = 8

/** Those that are kept of a list with the newest first: so many of each id, and so many of all. */
export function newestUnknown<Row extends Pick<UnknownRefusalRow, 'clientId'>>(rows: readonly Row[]): Row[] {
  const ofEach = new Map<string, number>()
  const kept = rows.filter(({ clientId }) => {
    const count = (ofEach.get(clientId) ?? 0) + 1
    ofEach.set(clientId, count)
    return count <= MAX_OF_ONE_ID
  })
  return kept.slice(0, MAX_REFUSALS)
}

/**
 * Equal ones are one row with a count. Only the newest are kept. They are in a table of their own: however many ids somebody
 * invents, no entry of a real client is pushed out. They are written in one order, as by `writeRefusals`.
 */
export async function writeUnknownRefusals(trx: Trx, entries: UnknownRefusalRow[]): Promise<void> {
  await trx
    .insertInto('oauth_unknown_refusals')
    .values(entries.toSorted(byKey).map((entry) => toColumns(entry.clientId, entry)))
    .onConflict((conflict) =>
      conflict.columns(['client_id', 'id']).doUpdateSet((eb) => ({
        count: eb('oauth_unknown_refusals.count', '+', eb.ref('excluded.count')),
        at: eb.ref('excluded.at'),
      })),
    )
    .execute()
  const rows = await trx
    .selectFrom('oauth_unknown_refusals')
    .select(['client_id as clientId', 'id'])
    .orderBy('at', 'desc')
    .orderBy('client_id')
    .orderBy('id')
    .execute()
  const kept = new Set(newestUnknown(rows))
  for (const row of rows)
    if (!kept.has(row))
      await trx
        .deleteFrom('oauth_unknown_refusals')
        .where('client_id', '=', row.clientId)
        .where('id', '=', row.id)
        .execute()
}

const byKey = (a: UnknownRefusalRow, b: UnknownRefusalRow): number => (a.clientId + a.id < b.clientId + b.id ? -1 : 1)

export interface RefusalOfClient extends Refusal {
  client_id: string
  known: boolean
}

/** The newest of all clients, and of client ids that nobody has. */
export async function listAllRefusals(db: Reader, now: number): Promise<RefusalOfClient[]> {
  const after = now - REFUSAL_KEPT_MS
  const known = await db
    .selectFrom('oauth_refusals')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_refusals.client_id')
    .select(['oauth_refusals.client_id', 'oauth_refusals.content', 'oauth_refusals.count', 'oauth_refusals.at'])
    .where('oauth_clients.deleted_at', 'is', null)
    .where('oauth_refusals.at', '>', after)
    .orderBy('oauth_refusals.at', 'desc')
    .orderBy('oauth_refusals.client_id')
    .orderBy('oauth_refusals.id')
    .limit(MAX_REFUSALS)
    .execute()
  const unknown = await db
    .selectFrom('oauth_unknown_refusals')
    .select(['client_id', 'content', 'count', 'at'])
    .where('at', '>', after)
    .orderBy('at', 'desc')
    .orderBy('client_id')
    .orderBy('id')
    .limit(MAX_REFUSALS)
    .execute()
  return [...known.map((row) => toRefusal(row, true)), ...unknown.map((row) => toRefusal(row, false))]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_REFUSALS)
}

const toRefusal = (
  { content, ...row }: { client_id: string; content: string; count: number; at: number },
  known: boolean,
): RefusalOfClient => ({ ...(JSON.parse(content) as RefusalContent), ...row, known })
