import { sql } from 'kysely'
import { revokeWithExpiredSessions } from '../../oauth/logout/revoke-with-expired-sessions.ts'
import { PROBLEM_KEPT_MS } from '../../oauth/problems/problem-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Database } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'

const DAY = 24 * 3_600_000

/** The tables with expiring rows, and for how long after its time a row is kept. */
const EXPIRING: (ExpiringTable & { keptMs: number })[] = [
  { table: 'sessions', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'known_browsers', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'email_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'rate_limits', key: 'bucket', expiry: 'expires_at', keptMs: 0 },
  { table: 'waiting_sign_ins', key: 'id', expiry: 'expires_at', keptMs: 0 },
  { table: 'passkey_challenges', key: 'id', expiry: 'expires_at', keptMs: 0 },
  { table: 'oauth_pending_requests', key: 'id_hash', expiry: 'expires_at', keptMs: 0 },
  // A replica whose clock is behind must still find it.
  { table: 'oauth_answered_requests', key: 'id_hash', expiry: 'expires_at', keptMs: 3_600_000 },
  // A device that polls a little later still learns that its code has expired.
  { table: 'oauth_device_codes', key: 'device_code_hash', expiry: 'expires_at', keptMs: 3_600_000 },
  { table: 'proxy_codes', key: 'code_hash', expiry: 'expires_at', keptMs: 0 },
  // Its owner still sees for some days that it has expired.
  { table: 'app_passwords', key: 'id', expiry: 'expires_at', keptMs: 7 * DAY },
  { table: 'oauth_access_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'oauth_refresh_tokens', key: 'token_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'ssh_keys', key: 'id', expiry: 'ephemeral_until', keptMs: 0 },
  { table: 'ssh_announced_sign_ins', key: 'authorization_hash', expiry: 'expires_at', keptMs: 0 },
  { table: 'former_hosts', key: 'kind, host', expiry: 'kept_until', keptMs: 0 },
  { table: 'retired_usernames', key: 'username', expiry: 'reserved_until', keptMs: 0 },
  { table: 'ssh_former_host_tokens', key: 'token_hash', expiry: 'ended_at', keptMs: 90 * DAY },
  { table: 'ssh_deleted_hosts', key: 'host_id', expiry: 'deleted_at', keptMs: 90 * DAY },
  // A used code is kept as long as its tokens, so that its reuse is still detected.
  { table: 'oauth_authorization_codes', key: 'code_hash', expiry: 'expires_at', keptMs: DAY },
  { table: 'oauth_client_sessions', key: 'session_id, client_id', expiry: 'kept_until', keptMs: 0 },
  { table: 'oauth_refusals', key: 'client_id, id', expiry: 'at', keptMs: PROBLEM_KEPT_MS },
  { table: 'oauth_unknown_refusals', key: 'client_id, id', expiry: 'at', keptMs: PROBLEM_KEPT_MS },
  { table: 'notifications', key: 'user_id, id', expiry: 'created_at', keptMs: 180 * DAY },
  { table: 'ssh_told_hosts', key: 'action_id, host_id', expiry: 'finished_at', keptMs: 30 * DAY },
  // Whatever waits has no such time.
  { table: 'outbox_deliveries', key: 'number', expiry: 'finished_at', keptMs: 30 * DAY },
  // They have no such time until they are completed, cancelled or failed.
  { table: 'lifecycle_actions', key: 'id', expiry: 'finished_at', keptMs: 400 * DAY },
]

/** Deletes expired rows. What is left when it is stopped is deleted by the next run. */
export async function sweepExpired({ db, now }: Pick<Services, 'db' | 'now'>, stop?: AbortSignal): Promise<number> {
  const at = now()
  let swept = 0
  await revokeWithExpiredSessions(db, at, stop)
  for (const { keptMs, ...table } of EXPIRING) swept += await deleteExpired(db, table, at - keptMs, stop)
  return swept
}

export interface ExpiringTable {
  table: keyof Schema
  /** Columns that name a row and have an index, separated by commas. */
  key: string
  /** The column with the time, which has an index too. */
  expiry: string
}

/** Deletes the rows whose time was at or before `before`. Returns how many. */
const deleteExpired = (
  db: Database,
  { table, key, expiry }: ExpiringTable,
  before: number,
  stop: AbortSignal | undefined,
): Promise<number> =>
  deleteInSlices(db, { table, key, where: sql<boolean>`${sql.ref(expiry)} <= ${before}`, orderBy: expiry, stop })
