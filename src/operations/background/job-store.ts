import type { Reader, Trx } from '../../storage/database.ts'
import { due } from '../../storage/due.ts'

export async function findNextRun(db: Reader, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('background_jobs').select('next_run_at').where('name', '=', name).executeTakeFirst()
  return row?.next_run_at
}

/** Moves the job to its next time if it is due. False when it is not, as when another replica has just claimed it. */
export async function claimRun(
  trx: Trx,
  { name, now, everyMs }: { name: string; now: number; everyMs: number },
): Promise<boolean> {
  const claimed = await trx
    .insertInto('background_jobs')
    .values({ name, next_run_at: now + everyMs })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ next_run_at: now + everyMs })
        .where(due('background_jobs.next_run_at', now, everyMs)),
    )
    .returning('name')
    .execute()
  return claimed.length > 0
}

/** Remembers when a job failed last. */
export async function markFailed(trx: Trx, name: string, at: number): Promise<void> {
  await trx
    .insertInto('failed_jobs')
    .values({ name, failed_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ failed_at: at }))
    .execute()
}
