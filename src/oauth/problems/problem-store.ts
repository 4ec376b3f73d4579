import type { Reader, Trx } from '../../storage/database.ts'
import type { Values } from '../../vocabulary/fill-sentence.ts'

/** How many problems of a client are kept, the newest, and for how long. */
export const MAX_PROBLEMS = 50
export const PROBLEM_KEPT_MS = 7 * 24 * 3_600_000

export interface ProblemContent {
  endpoint: string
  error: string
  description: string
  /** Of the description. Entries that another version has written may have none. */
  reason?: string
  values?: Values
  hint: string
  details: { sent: string | null; expected: string | null }
}

export interface ProblemRow {
  /** The digest of the content. */
  id: string
  content: ProblemContent
  count: number
  at: number
}

export interface SignInProblem extends ProblemContent {
  at: number
  count: number
}

/**
 * Equal ones are one row with a count. Only the newest are kept. Does nothing when the client is gone. The rows are written in
 * one order on every replica, so that no two wait for each other.
 */
export async function writeProblems(trx: Trx, clientId: string, entries: ProblemRow[]): Promise<void> {
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
        .limit(MAX_PROBLEMS),
    )
    .execute()
}

const toColumns = (clientId: string, { id, content, count, at }: ProblemRow) => ({
  client_id: clientId,
  id,
  content: JSON.stringify(content),
  count,
  at,
})

const byId = (a: ProblemRow, b: ProblemRow): number => (a.id < b.id ? -1 : 1)

/** Newest first. */
export async function listProblems(db: Reader, clientId: string, now: number): Promise<SignInProblem[]> {
  const rows = await db
    .selectFrom('oauth_refusals')
    .select(['content', 'count', 'at'])
    .where('client_id', '=', clientId)
    .where('at', '>', now - PROBLEM_KEPT_MS)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(MAX_PROBLEMS)
    .execute()
  return rows.map(({ content, count, at }) => Object.assign(JSON.parse(content) as ProblemContent, { at, count }))
}

export interface UnknownProblemRow extends ProblemRow {
  clientId: string
}

/** How many of one unknown client_id are kept, the newest. */
const MAX_OF_ONE_ID = 8

/** Those that are kept of a list with the newest first: so many of each id, and so many of all. */
export function newestUnknown<Row extends Pick<UnknownProblemRow, 'clientId'>>(rows: readonly Row[]): Row[] {
  const ofEach = new Map<string, number>()
  const kept = rows.filter(({ clientId }) => {
    const count = (ofEach.get(clientId) ?? 0) + 1
    ofEach.set(clientId, count)
    return count <= MAX_OF_ONE_ID
  })
  return kept.slice(0, MAX_PROBLEMS)
}

/**
 * Equal ones are one row with a count. Only the newest are kept. They are in a table of their own: however many ids somebody
 * invents, no entry of a real client is pushed out. They are written in one order, as by `writeProblems`.
 */
export async function writeUnknownProblems(trx: Trx, entries: UnknownProblemRow[]): Promise<void> {
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

const byKey = (a: UnknownProblemRow, b: UnknownProblemRow): number => (a.clientId + a.id < b.clientId + b.id ? -1 : 1)

export interface SignInProblemOfClient extends SignInProblem {
  client_id: string
  known: boolean
}

/** The newest of all clients, and of client ids that nobody has. */
export async function listAllProblems(db: Reader, now: number): Promise<SignInProblemOfClient[]> {
  const after = now - PROBLEM_KEPT_MS
  const known = await db
    .selectFrom('oauth_refusals')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_refusals.client_id')
    .select(['oauth_refusals.client_id', 'oauth_refusals.content', 'oauth_refusals.count', 'oauth_refusals.at'])
    .where('oauth_clients.deleted_at', 'is', null)
    .where('oauth_refusals.at', '>', after)
    .orderBy('oauth_refusals.at', 'desc')
    .orderBy('oauth_refusals.client_id')
    .orderBy('oauth_refusals.id')
    .limit(MAX_PROBLEMS)
    .execute()
  const unknown = await db
    .selectFrom('oauth_unknown_refusals')
    .select(['client_id', 'content', 'count', 'at'])
    .where('at', '>', after)
    .orderBy('at', 'desc')
    .orderBy('client_id')
    .orderBy('id')
    .limit(MAX_PROBLEMS)
    .execute()
  return [...known.map((row) => toProblem(row, true)), ...unknown.map((row) => toProblem(row, false))]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_PROBLEMS)
}

const toProblem = (
  { content, ...row }: { client_id: string; content: string; count: number; at: number },
  known: boolean,
): SignInProblemOfClient => ({ ...(JSON.parse(content) as ProblemContent), ...row, known })
