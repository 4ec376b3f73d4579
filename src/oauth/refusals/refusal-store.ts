import type { Reader, Trx } from '../../storage/database.ts'

/** How many refusals of a client are kept, the newest, and for how long. */
export const MAX_REFUSALS = 50
export const REFUSAL_KEPT_MS = 7 * 24 * 3_600_000

export interface RefusalContent {
  endpoint: string
  error: string
  description: string
  hint: string
  details: { sent: string | null; expected: string | null }
}

export interface RefusalRow {
  /** The digest of the content. */
  id: string
  content: RefusalContent
  count: number
  at: number
}

export interface Refusal extends RefusalContent {
  at: number
  count: number
}

/**
 * Equal ones are one row with a count. Only the newest are kept. Does nothing when the client is gone. The rows are written in
 * one order on every replica, so that no two wait for each other.
 */
export async function writeRefusals(trx: Trx, clientId: string, entries: RefusalRow[]): Promise<void> {
  const client = await trx
    .selectFrom('oauth_clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .forShare()
    .executeTakeFirst()
  if (!client || entries.length === 0) return
  await trx
    .insertInto('oauth_refusals')
    .values(entries.toSorted(byId).map((entry) => toColumns(clientId, entry)))
    .onConflict((conflict) =>
      conflict.columns(['client_id', 'id']).doUpdateSet((eb) => ({
        count: eb('oauth_refusals.count', '+', eb.ref('excluded.count')),
        at: eb.ref('excluded.at'),
      })),
    )
    .execute()
  await trx
    .deleteFrom('oauth_refusals')
    .where('client_id', '=', clientId)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('oauth_refusals')
        .select('id')
        .where('client_id', '=', clientId)
        .orderBy('at', 'desc')
        .orderBy('id')
        .limit(MAX_REFUSALS),
    )
    .execute()
}

export const toColumns = (clientId: string, { id, content, count, at }: RefusalRow) => ({
  client_id: clientId,
  id,
  content: JSON.stringify(content),
  count,
  at,
})

const byId = (a: RefusalRow, b: RefusalRow): number => (a.id < b.id ? -1 : 1)

/** Newest first. */
export async function listRefusals(db: Reader, clientId: string, now: number): Promise<Refusal[]> {
  const rows = await db
    .selectFrom('oauth_refusals')
    .select(['content', 'count', 'at'])
    .where('client_id', '=', clientId)
    .where('at', '>', now - REFUSAL_KEPT_MS)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(MAX_REFUSALS)
    .execute()
  return rows.map(({ content, count, at }) => Object.assign(JSON.parse(content) as RefusalContent, { at, count }))
}
