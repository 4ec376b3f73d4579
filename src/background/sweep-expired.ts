import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Services } from '../services.ts'
import type { Schema } from '../storage/schema.ts'

const DAY = 24 * 3_600_000

/** What outlives its use, by a key that has an index, and for how long after its time it is still kept. */
const EXPIRING: { table: keyof Schema; key: string; expiry: string; keptMs: number }[] = [
  { table: 'sessions', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'email_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'rate_limits', key: 'bucket', expiry: 'expires_at', keptMs: 0 },
  { table: 'passkey_challenges', key: 'id', expiry: 'expires_at', keptMs: 0 },
  { table: 'oauth_pending_requests', key: 'id_hash', expiry: 'expires_at', keptMs: 0 },
  // A replica whose clock is behind must still find it.
  { table: 'oauth_answered_requests', key: 'id_hash', expiry: 'expires_at', keptMs: 3_600_000 },
  { table: 'oauth_access_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'oauth_refresh_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  // A used code lives as long as what it issued, so that using it again is still noticed.
  { table: 'oauth_authorization_codes', key: 'code_hash', expiry: 'expires_at', keptMs: DAY },
  { table: 'notifications', key: 'user_id, id', expiry: 'created_at', keptMs: 180 * DAY },
]

/** Small enough, and far enough apart, that nobody waiting for the database notices. */
const BATCH = 100
const REST_MS = 10

/** Deletes expired rows in bounded batches, and lets others have their turn between them. */
export async function sweepExpired({ db, now }: Pick<Services, 'db' | 'now'>): Promise<number> {
  let swept = 0
  for (const { table, key, expiry, keptMs } of EXPIRING) {
    for (;;) {
      const { rows } = await sql`
        delete from ${sql.table(table)} where (${sql.raw(key)}) in (
          select ${sql.raw(key)} from ${sql.table(table)}
          where ${sql.ref(expiry)} <= ${now() - keptMs} order by ${sql.ref(expiry)} limit ${BATCH})
        returning 1`.execute(db)
      swept += rows.length
      if (rows.length < BATCH) break
      await sleep(REST_MS)
    }
  }
  return swept
}
