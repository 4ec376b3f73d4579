import { sql } from 'kysely'
import { Type } from 'typebox'
import { ActionName } from '../../identity/lifecycle/lifecycle-action.ts'
import { readHoldings } from '../../identity/roles/holdings.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'

export const PlannedActions = Nullable(
  Type.Object(
    {
      pending: Type.Integer(),
      failed: Type.Integer(),
      next: Type.Array(
        Type.Object({
          id: Type.String(),
          userId: Type.String(),
          email: Type.String(),
          action: ActionName,
          executeAt: Time,
        }),
        { description: 'The next ones due.' },
      ),
    },
    { description: 'Without those about the caller. Null without users:lifecycle.' },
  ),
)

export const FailedActions = Nullable(
  Type.Array(
    Type.Object({
      id: Type.String(),
      at: Nullable(Time),
      userId: Type.String(),
      email: Type.String(),
      action: ActionName,
      reason: Nullable(Type.String()),
    }),
    { description: 'Without those about the caller. Null without users:lifecycle.' },
  ),
)

interface ShownActions {
  lifecycle: Type.Static<typeof PlannedActions>
  failedActions: Type.Static<typeof FailedActions>
}

const MAX_NEXT = 5
const MAX_FAILED = 10
const FAILED_MS = 7 * 24 * 3_600_000

/**
 * What is planned for others, as this person may see it. A disable may be planned so that nobody guesses it, and least of all
 * the person whom it is about. So it is not taken from figures that were counted for somebody else: the difference would tell.
 */
export async function readPlannedActions(
  { db, now }: Pick<Services, 'db' | 'now'>,
  viewerId: string,
): Promise<ShownActions> {
  const { permissions } = await readHoldings(db.read, viewerId)
  if (!permissions.has('users:lifecycle')) return { lifecycle: null, failedActions: null }
  return {
    lifecycle: { ...(await countActions(db.read, viewerId)), next: await listNextActions(db.read, viewerId, MAX_NEXT) },
    failedActions: await listFailedActions(db.read, { viewerId, since: now() - FAILED_MS, limit: MAX_FAILED }),
  }
}

/** How many there are, without those about the viewer. Indexes count all of them, and those of one user. */
async function countActions(db: Reader, viewerId: string): Promise<{ pending: number; failed: number }> {
  const { rows } = await sql<{ pending: number; failed: number }>`select
    (select count(*) from lifecycle_actions where status in ('pending', 'running'))
      - (select count(*) from lifecycle_actions where user_id = ${viewerId} and status in ('pending', 'running')) as pending,
    (select count(*) from lifecycle_actions where status = 'failed')
      - (select count(*) from lifecycle_actions where user_id = ${viewerId} and status = 'failed') as failed`.execute(
    db,
  )
  const { pending = 0, failed = 0 } = rows[0] ?? {}
  return { pending, failed }
}

/** The next ones due. */
const listNextActions = (db: Reader, viewerId: string, limit: number) =>
  db
    .selectFrom('lifecycle_actions')
    .innerJoin('users', 'users.id', 'lifecycle_actions.user_id')
    .select(['lifecycle_actions.id', 'user_id as userId', 'users.email', 'action', 'execute_at as executeAt'])
    .where(sql<boolean>`status in ('pending', 'running')`)
    .where('user_id', '!=', viewerId)
    .orderBy('execute_at')
    .limit(limit)
    .execute()

/** Planned actions that failed since a time, newest first. */
const listFailedActions = (
  db: Reader,
  { viewerId, since, limit }: { viewerId: string; since: number; limit: number },
) =>
  db
    .selectFrom('lifecycle_actions')
    .innerJoin('users', 'users.id', 'lifecycle_actions.user_id')
    .select([
      'lifecycle_actions.id',
      'lifecycle_actions.user_id as userId',
      'users.email',
      'lifecycle_actions.action',
      'lifecycle_actions.finished_at as at',
      'lifecycle_actions.failure_reason as reason',
    ])
    .where('lifecycle_actions.status', '=', 'failed')
    .where('lifecycle_actions.finished_at', '>=', since)
    .where('lifecycle_actions.user_id', '!=', viewerId)
    .where('users.deleted_at', 'is', null)
    .orderBy('lifecycle_actions.finished_at', 'desc')
    .limit(limit)
    .execute()
