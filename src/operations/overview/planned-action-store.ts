import { sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'

/** How many there are, without those about the viewer. Indexes count all of them, and those of one user. */
export async function countActions(db: Reader, viewerId: string): Promise<{ pending: number; failed: number }> {
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
export const listNextActions = (db: Reader, viewerId: string, limit: number) =>
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
export const listFailedActions = (
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
