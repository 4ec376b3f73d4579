import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { OLDER_PROGRAMS } from './postgres-programs.ts'

/** How long a session that is in the middle of something is left to finish it. The migration holds its locks meanwhile. */
const GRACE_MS = 1000
const PAUSE_MS = 25
/** After this long the migration goes on, whether all sessions have ended or not. */
const LIMIT_MS = 2000
const QUERY_TIMEOUT_MS = 1000

/**
 * Ends the sessions that replicas of 0.2 and older have open, so that they prepare their statements anew.
 *
 * Those versions have prepared statements with `select *`. The server refuses such a statement for as long as its session lives
 * once a column was added to the table (0A000), and those versions neither know that error nor replace their connections: a replica
 * that has not been upgraded yet would answer 500 to every authorization and introspection. They do connect again when a
 * session was ended, and answer 503 where one was in use.
 *
 * It is done when the tables were changed and the change is not committed: whoever wants to prepare a statement for one of these tables waits
 * for the commit, so that it is enough to end the sessions that began before, and no statement is refused in between. A session
 * that waits for a lock is ended at once, because most wait for the migration, which waits for them here.
 *
 * Later versions prepare such a statement again, and their sessions, which have other names, are left alone.
 */
export async function endOlderSessions(settings: pg.ClientConfig, log: Logger): Promise<void> {
  // Its own connection, since a refusal would undo the migration, and a transaction sees the sessions as they were at first.
  const client = new pg.Client({ ...settings, query_timeout: QUERY_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { ended, left, refusal } = await endAll(client)
    if (ended > 0) log.info({ ended }, 'Ended the database sessions of older replicas, which connect again.')
    if (left > 0) log.warn({ left, err: refusal }, NOT_ENDED)
  } catch (error) {
    log.warn({ err: error }, NOT_ENDED)
  } finally {
    await client.end().catch(() => {})
  }
}

const NOT_ENDED =
  'The database sessions of older replicas could not be ended. Upgrade these replicas without delay: they may answer 500 until then.'

/** Of a session of another role the server tells neither the state nor when it began. */
const SESSIONS = `
  select pid, coalesce(state = 'idle' or wait_event_type is not distinct from 'Lock', true) as "isFree"
  from pg_stat_activity
  where datname = current_database() and application_name = any($1) and coalesce(backend_start <= $2::timestamptz, true)
    and pid <> pg_backend_pid()`

interface Session {
  pid: number
  isFree: boolean
}

async function endAll(client: pg.Client): Promise<{ ended: number; left: number; refusal: unknown }> {
  const { rows } = await client.query<{ at: string }>('select clock_timestamp()::text as at')
  const asked = new Set<number>()
  const refusals = new Map<number, unknown>()
  const end = async (pid: number) => {
    asked.add(pid)
    await client.query('select pg_terminate_backend($1)', [pid]).catch((error: unknown) => refusals.set(pid, error))
  }
  const begunAt = performance.now()
  for (;;) {
    const { rows: sessions } = await client.query<Session>(SESSIONS, [OLDER_PROGRAMS, rows[0]?.at])
    const elapsed = performance.now() - begunAt
    if (sessions.every(({ pid }) => refusals.has(pid)) || elapsed > LIMIT_MS) {
      const [refusal] = refusals.values()
      return { ended: asked.size - refusals.size, left: sessions.length, refusal }
    }
    for (const { pid, isFree } of sessions) {
      if (!asked.has(pid) && (isFree || elapsed > GRACE_MS)) await end(pid)
    }
    await setTimeout(PAUSE_MS)
  }
}
