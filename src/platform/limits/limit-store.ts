import { sql } from 'kysely'
import type { Database, Reader } from '../../storage/database.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'

/** How often a bucket has failed, and until when these failures count. */
export interface StoredFailures {
  failures: number
  expiresAt: number
}

interface Failure {
  bucket: string
  now: number
  /** When the window ends, if this failure begins one. */
  until: number
  /** A stored window that ends later than this was written under a wrong clock. */
  latest: number
}

const countOne = writeStatement((db, value: Values<Failure>) =>
  db
    .insertInto('rate_limits')
    .values({ bucket: value('bucket'), failures: 1, expires_at: value('until') })
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet({
        failures: sql<number>`case when ${isOver(value)} then 1 else rate_limits.failures + 1 end`,
        expires_at: sql<number>`case when ${isOver(value)} then excluded.expires_at else rate_limits.expires_at end`,
      }),
    )
    .returning(['failures', 'expires_at as expiresAt']),
)

/** The window has passed, or was written under a wrong clock. */
const isOver = (value: Values<Failure>) =>
  sql`rate_limits.expires_at <= ${value('now')} or rate_limits.expires_at > ${value('latest')}`

/** Adds one failure and returns the count. A window that is over begins again at one. */
export async function countFailure(db: Database, failure: Failure): Promise<StoredFailures> {
  const [row] = await countOne(db, failure)
  if (!row) throw new Error('An upsert returned no row.')
  return row
}

const byBucket = readStatement((db, value: Values<{ bucket: string }>) =>
  db.selectFrom('rate_limits').select(['failures', 'expires_at as expiresAt']).where('bucket', '=', value('bucket')),
)

export async function findFailures(db: Reader, bucket: string): Promise<StoredFailures | undefined> {
  const [row] = await byBucket(db, { bucket })
  return row
}
