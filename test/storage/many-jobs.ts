import { sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import { deleteInSlices } from '../../src/storage/delete-in-slices.ts'

export const addRows = (db: Database, count: number) =>
  db.transaction((trx) =>
    trx
      .insertInto('background_jobs')
      .values(Array.from({ length: count }, (_, n) => ({ name: `job${n}`, next_run_at: n })))
      .execute(),
  )

export const left = async (db: Database): Promise<number> =>
  (await db.read.selectFrom('background_jobs').select('name').execute()).length

/** In slices of ten rows. */
export const deleteBefore = (db: Database, before: number, stop?: AbortSignal) =>
  deleteInSlices(db, {
    table: 'background_jobs',
    key: 'name',
    where: sql<boolean>`next_run_at < ${before}`,
    orderBy: 'next_run_at',
    rows: 10,
    pauseMs: 0,
    stop,
  })
