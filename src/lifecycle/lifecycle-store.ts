import { sql } from 'kysely'
import { type Position, toPage } from '../http/cursor.ts'
import { newId } from '../ids.ts'
import type { Db } from '../storage/schema.ts'
import { type ActionName, type LifecycleAction, toAction } from './lifecycle-action.ts'

interface Planned {
  userId: string
  action: ActionName
  executeAt: number
  requestedBy: string | null
  now: number
}

export async function addAction(db: Db, planned: Planned): Promise<string> {
  const id = newId()
  await db
    .insertInto('lifecycle_actions')
    .values({
      id,
      user_id: planned.userId,
      action: planned.action,
      status: 'pending',
      execute_at: planned.executeAt,
      requested_by: planned.requestedBy,
      claimed_at: null,
      finished_at: null,
      failure_reason: null,
      created_at: planned.now,
    })
    .execute()
  return id
}

/** Newest first. */
export async function listActions(db: Db, userId: string, limit: number, after: Position | undefined) {
  const rows = await db
    .selectFrom('lifecycle_actions')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.[0]}, ${after?.[1]})`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.created_at, row.id], toAction)
}

export async function findAction(db: Db, userId: string, id: string): Promise<LifecycleAction | undefined> {
  const row = await db
    .selectFrom('lifecycle_actions')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toAction(row)
}

/** Nothing when it was not pending any more. */
export async function markCancelled(db: Db, id: string, now: number): Promise<LifecycleAction | undefined> {
  const row = await db
    .updateTable('lifecycle_actions')
    .set({ status: 'cancelled', finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  return row && toAction(row)
}

/** One take of an action. The attempt tells it from an earlier take whose process stalled. */
export interface Claim {
  id: string
  userId: string
  action: ActionName
  requestedBy: string | null
  attempt: number
}

interface Due {
  now: number
  /** A take older than this was left behind by a process that died. */
  staleBefore: number
  mostAttempts: number
  limit: number
}

/**
 * Takes what is due. Of two copies that ask at once, the second waits for the first and then sees what it took: the
 * condition stands in the update itself. An action waits for the earlier ones of the same account, so that what was
 * planned in an order happens in that order, also after a long downtime.
 */
export async function claimDueActions(db: Db, { now, staleBefore, mostAttempts, limit }: Due): Promise<Claim[]> {
  const takeable = sql`status in ('pending', 'running') and execute_at <= ${now}
    and attempts < ${mostAttempts} and (status = 'pending' or claimed_at <= ${staleBefore})`
  const { rows } = await sql<{
    id: string
    user_id: string
    action: ActionName
    requested_by: string | null
    attempts: number
    execute_at: number
  }>`
    update lifecycle_actions set status = 'running', claimed_at = ${now}, attempts = attempts + 1
    where id in (
      select id from lifecycle_actions as due where ${takeable} and not exists (
        select 1 from lifecycle_actions as earlier
        where earlier.user_id = due.user_id and earlier.status in ('pending', 'running')
          and (earlier.execute_at, earlier.created_at, earlier.id) < (due.execute_at, due.created_at, due.id))
      order by execute_at limit ${limit})
    and ${takeable}
    returning id, user_id, action, requested_by, attempts, execute_at`.execute(db)
  return rows
    .toSorted((a, b) => a.execute_at - b.execute_at)
    .map((row) => ({
      id: row.id,
      userId: row.user_id,
      action: row.action,
      requestedBy: row.requested_by,
      attempt: row.attempts,
    }))
}

/** False when this take is not the one that counts: it was taken up by another copy meanwhile, or the user is gone. */
export async function markFinished(
  db: Db,
  { id, attempt }: Claim,
  now: number,
  end: { status: 'completed' } | { status: 'failed'; reason: string },
): Promise<boolean> {
  const rows = await db
    .updateTable('lifecycle_actions')
    .set({
      status: end.status,
      finished_at: now,
      failure_reason: end.status === 'failed' ? end.reason : null,
    })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('attempts', '=', attempt)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** Takes that were the last allowed and were left behind. */
export async function listExhausted(db: Db, { staleBefore, mostAttempts, limit }: Omit<Due, 'now'>): Promise<Claim[]> {
  const rows = await db
    .selectFrom('lifecycle_actions')
    .selectAll()
    .where(sql<boolean>`status in ('pending', 'running')`)
    .where('status', '=', 'running')
    .where('attempts', '>=', mostAttempts)
    .where('claimed_at', '<=', staleBefore)
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    action: row.action as ActionName,
    requestedBy: row.requested_by,
    attempt: row.attempts,
  }))
}
