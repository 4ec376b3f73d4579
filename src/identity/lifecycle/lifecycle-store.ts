import { sql, type ExpressionBuilder, type Selectable } from 'kysely'
import { toPage, type Position } from '../../platform/http/cursor.ts'
import { due, isDue, MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import type { LifecycleStatus } from '../../vocabulary/lifecycle.ts'
import type { IdentityServices } from '../access-events.ts'
import { readOpenTold } from '../receipts/open-receipts.ts'
import type { Ended } from '../receipts/receipt.ts'
import { toAction, type ActionName, type LifecycleAction } from './lifecycle-action.ts'

export interface RequestedAction {
  id: string
  userId: string
  action: ActionName
  executeAt: number
  requestedBy: { id: string; email: string }
  reason?: string | undefined
  discreet?: boolean | undefined
  /** Set when it has been carried out already. */
  receipt?: Ended
  now: number
}

/** Adds an action: a pending one, or one that was carried out at once. */
export async function addAction(trx: Trx, planned: RequestedAction): Promise<void> {
  const isDone = planned.receipt !== undefined
  await trx
    .insertInto('lifecycle_actions')
    .values({
      id: planned.id,
      user_id: planned.userId,
      action: planned.action,
      status: isDone ? 'completed' : 'pending',
      execute_at: planned.executeAt,
      requested_by: planned.requestedBy.id,
      requested_by_email: planned.requestedBy.email,
      reason: planned.reason ?? null,
      discreet: planned.discreet ? 1 : 0,
      receipt: isDone ? JSON.stringify(planned.receipt) : null,
      claimed_at: null,
      finished_at: isDone ? planned.now : null,
      failure_reason: null,
      created_at: planned.now,
    })
    .execute()
}

/** What was only planned is never shown to the person whom it is about, also when it was cancelled or has failed. */
const isShownTo = (viewerId: string) => (eb: ExpressionBuilder<Schema, 'lifecycle_actions'>) =>
  eb.or([eb('user_id', '!=', viewerId), eb('status', '=', 'completed')])

/** Newest first. */
export async function listActions(
  services: Pick<IdentityServices, 'accessSubscribers'>,
  db: Reader,
  { userId, viewerId, limit, after }: { userId: string; viewerId: string; limit: number; after: Position | undefined },
) {
  const rows = await db
    .selectFrom('lifecycle_actions')
    .selectAll()
    .where('user_id', '=', userId)
    .where(isShownTo(viewerId))
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.[0]}, ${after?.[1]})`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const unfinished = rows.flatMap(({ id, status, completed_at }) =>
    status === 'completed' && completed_at === null ? [id] : [],
  )
  const open = await readOpenTold(services, db, unfinished)
  return toPage(rows, limit, (row) => [row.created_at, row.id], toAction(viewerId, open))
}

/** Those that are still to be carried out, the next one first. */
export async function listPendingActions(
  db: Reader,
  { userId, viewerId, limit }: { userId: string; viewerId: string; limit: number },
): Promise<LifecycleAction[]> {
  const rows = await db
    .selectFrom('lifecycle_actions')
    .selectAll()
    .where('user_id', '=', userId)
    .where(UNFINISHED)
    .where(isShownTo(viewerId))
    .orderBy('execute_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => toAction(viewerId)(row))
}

export const findActionStatus = async (db: Reader, userId: string, id: string): Promise<LifecycleStatus | undefined> =>
  (
    await db
      .selectFrom('lifecycle_actions')
      .select('status')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.status

/** What is to be done, and how far that is, if this viewer may know. */
export const findActionFor = (
  db: Reader,
  { userId, actionId, viewerId }: { userId: string; actionId: string; viewerId: string },
): Promise<{ action: ActionName; status: LifecycleStatus } | undefined> =>
  db
    .selectFrom('lifecycle_actions')
    .select(['action', 'status'])
    .where('id', '=', actionId)
    .where('user_id', '=', userId)
    .where(isShownTo(viewerId))
    .executeTakeFirst()

/** Undefined when it was not pending any more. */
export async function markCancelled(
  trx: Trx,
  id: string,
  viewerId: string,
  now: number,
): Promise<LifecycleAction | undefined> {
  const row = await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'cancelled', finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  return row && toAction(viewerId)(row)
}

/** How many actions each of these people has planned that are still pending; with `about`, of those about this user. */
export async function countPlansOf(db: Reader, plannerIds: string[], about?: string): Promise<Map<string, number>> {
  if (plannerIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('lifecycle_actions')
    .select(({ fn }) => ['requested_by', fn.countAll<number>().as('count')])
    .where(sql<boolean>`status = 'pending'`)
    .where('requested_by', 'in', plannerIds)
    .$if(about !== undefined, (query) => query.where('user_id', '=', about ?? ''))
    .groupBy('requested_by')
    .execute()
  return new Map(rows.map(({ requested_by, count }) => [requested_by ?? '', count]))
}

/** One claim of an action. Its time distinguishes it from an earlier claim whose process stalled. */
export interface Claim {
  id: string
  userId: string
  action: ActionName
  requestedBy: { id: string; email: string | null } | null
  claimedAt: number
}

interface Due {
  now: number
  /** The process of a claim older than this has died. */
  leaseMs: number
  limit: number
}

/**
 * Claims actions that are due. They are looked up first; the update repeats the whole condition, so that of two replicas
 * that found the same action exactly one claims it. An action waits for earlier ones of the same account, so that they are carried
 * out in the planned order, also after a long downtime.
 */
export async function claimDueActions(db: Database, { now, leaseMs, limit }: Due): Promise<Claim[]> {
  const maxAheadMs = leaseMs + MAX_CLOCK_SKEW_MS
  const unfinished = await db.read
    .selectFrom('lifecycle_actions')
    .select(['id', 'user_id', 'status', 'claimed_at'])
    .where(UNFINISHED)
    .where('execute_at', '<=', now)
    .orderBy('execute_at')
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit * LOOKUP_FACTOR)
    .execute()
  const seen = new Set<string>()
  const ids = unfinished
    .filter(({ user_id }) => seen.size < seen.add(user_id).size)
    .filter(({ status, claimed_at }) => status === 'pending' || isDue((claimed_at ?? 0) + leaseMs, now, maxAheadMs))
    .slice(0, limit)
    .map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await db.transaction((trx) =>
    trx
      .updateTable('lifecycle_actions')
      .set({ status: 'running', claimed_at: now })
      .where('id', 'in', ids)
      .where((eb) =>
        eb.or([
          eb('status', '=', 'pending'),
          eb.and([eb('status', '=', 'running'), due('claimed_at', now - leaseMs, maxAheadMs)]),
        ]),
      )
      .returningAll()
      .execute(),
  )
  return rows.map(toClaim)
}

const UNFINISHED = sql<boolean>`status in ('pending', 'running')`

/** Looks up more than it claims, since another replica may have claimed the first ones. */
const LOOKUP_FACTOR = 4

const toClaim = (row: Selectable<Schema['lifecycle_actions']>): Claim => ({
  id: row.id,
  userId: row.user_id,
  action: row.action,
  requestedBy: row.requested_by === null ? null : { id: row.requested_by, email: row.requested_by_email },
  claimedAt: row.claimed_at ?? 0,
})

/** Returns the claims that are still valid. The others were claimed again by another replica, or their users are gone. */
export async function markCompleted(trx: Trx, claims: Claim[], now: number): Promise<Claim[]> {
  const rows = await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'completed', finished_at: now })
    .where(isClaimedBy(claims))
    .returning('id')
    .execute()
  const completed = new Set(rows.map(({ id }) => id))
  return claims.filter(({ id }) => completed.has(id))
}

/** Stores what each of these actions has ended. */
export async function updateReceipts(trx: Trx, receipts: { id: string; receipt: Ended }[]): Promise<void> {
  if (receipts.length === 0) return
  const cases = receipts.map(({ id, receipt }) => sql`when ${id} then ${JSON.stringify(receipt)}`)
  await trx
    .updateTable('lifecycle_actions')
    .set({ receipt: sql<string>`case id ${sql.join(cases, sql` `)} end` })
    .where(
      'id',
      'in',
      receipts.map(({ id }) => id),
    )
    .execute()
}

/** False when the claim is no longer valid. */
export async function markFailed(trx: Trx, claim: Claim, now: number, reason: string): Promise<boolean> {
  const rows = await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'failed', finished_at: now, failure_reason: reason })
    .where(isClaimedBy([claim]))
    .returning('id')
    .execute()
  return rows.length > 0
}

/** Gives up claims that were not carried out, so that they can be claimed again at once. */
export async function markUnclaimed(trx: Trx, claims: Claim[]): Promise<void> {
  await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'pending', claimed_at: null })
    .where(isClaimedBy(claims))
    .execute()
}

/** Counts a failed try. Returns how many there were, or undefined when the claim is no longer valid. */
export async function markTried(trx: Trx, claim: Claim): Promise<number | undefined> {
  const row = await trx
    .updateTable('lifecycle_actions')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where(isClaimedBy([claim]))
    .returning('attempts')
    .executeTakeFirst()
  return row?.attempts
}

const isClaimedBy = (claims: Claim[]) => (eb: ExpressionBuilder<Schema, 'lifecycle_actions'>) =>
  eb.and([
    eb('status', '=', 'running'),
    eb.or(claims.map(({ id, claimedAt }) => eb.and({ id, claimed_at: claimedAt }))),
  ])

const plannedDisable = readStatement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('lifecycle_actions')
    .select((eb) => eb.fn.min('execute_at').as('at'))
    .where('user_id', '=', value('userId'))
    .where(sql<boolean>`status in ('pending', 'running')`)
    .where('action', '=', sql.lit('disable'))
    .where('discreet', '=', sql.lit(0)),
)

/** When the account will be disabled, if that is planned and need not be kept from its user. The caller has locked the user. */
export const findPlannedEnd = async (trx: Trx, userId: string): Promise<number | undefined> =>
  (await plannedDisable(trx, { userId }))[0]?.at ?? undefined
