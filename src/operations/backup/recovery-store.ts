import { sql } from 'kysely'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'

/** The time of the newest audit event. */
export async function findLastEventTime(db: Reader): Promise<number | undefined> {
  const { at } = await db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.max<number | null>('at').as('at'))
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

/** Deletes every row, in slices without a pause between them: the service is not running. Returns how many. */
export const deleteAllRows = (db: Database, table: keyof Schema, key: string): Promise<number> =>
  deleteInSlices(db, { table, key, where: sql<boolean>`1 = 1`, rows: 2000, pauseMs: 0 })

export async function countPendingActions(db: Reader): Promise<number> {
  const { pending } = await db
    .selectFrom('lifecycle_actions')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirstOrThrow()
  return pending
}

/** Lines that enroll hosts stop working: they may have been used, or replaced, after the backup was made. */
export async function endEnrollments(trx: Trx): Promise<void> {
  await trx.updateTable('ssh_hosts').set({ enrollment_hash: null, enrollment_expires_at: null }).execute()
}

/** Cancels the plans to enable an account that are due. Returns how many. */
export async function markOverdueEnablesCancelled(trx: Trx, now: number): Promise<number> {
  const rows = await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'cancelled', finished_at: now })
    .where('status', 'in', ['pending', 'running'])
    .where('execute_at', '<=', now)
    .where('action', '=', 'enable')
    .returning('id')
    .execute()
  return rows.length
}
