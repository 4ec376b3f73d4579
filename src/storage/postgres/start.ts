import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { StartError } from '../../errors.ts'
import { OWN_TABLE } from '../database-url.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migrations/all.ts'
import { createKysely } from './kysely.ts'
import { openPool, runAlone } from './pool.ts'
import { MIGRATING, OLDER_PROGRAMS, PROGRAMS } from './session.ts'
import { createBatchSender } from './statement-batch.ts'

/** What to check, by the server's own code (PostgreSQL manual, appendix A). */
const HINTS: Record<string, string> = {
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '28000': 'Check the user in DATABASE_URL, and pg_hba.conf on the server.',
  '3D000': 'Create that database, or check its name in DATABASE_URL.',
  '42501': 'Its user must be allowed to create tables there.',
  '25006': 'It can only be read: DATABASE_URL must name the primary server.',
}
const TLS = /\b(ssl|tls|cert|certificate)|_CERT|SIGNATURE/i
const UNREACHABLE = /timeout|terminated|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|^ *$/i

/**
 * Connects once, before anything else does, so that a problem with DATABASE_URL or the server is one clear line at the start.
 * Returns whether the tables of Latchkey are there.
 */
async function tryPostgres(settings: pg.ClientConfig, url: string): Promise<{ hasTables: boolean }> {
  let client: pg.Client | undefined
  try {
    client = new pg.Client(settings)
    // A lost connection makes the next query fail as well. Without a listener the event would end the process.
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [OWN_TABLE])
    return { hasTables: rows[0]?.found === true }
  } catch (error) {
    throw explain(error, url)
  } finally {
    await client?.end().catch(() => {})
  }
}

/** Whether the database has the tables of Latchkey. */
export async function hasTables(url: string): Promise<boolean> {
  const settings = { connectionString: url, application_name: PROGRAMS.start, connectionTimeoutMillis: 3000 }
  return (await tryPostgres(settings, url)).hasTables
}

/** Turns an error that the operator can fix into a sentence; any other error is returned unchanged. */
function explainError(error: unknown, url: string): unknown {
  const cause = error instanceof Error && error.cause instanceof pg.DatabaseError ? error.cause : error
  return cause instanceof pg.DatabaseError && Object.hasOwn(HINTS, cause.code ?? '') ? explain(cause, url) : error
}

function explain(error: unknown, url: string): StartError {
  const { message, code = '' } = error as { message: string; code?: string }
  const where = `The database at ${URL.parse(url)?.host || 'the default address'}`
  if (!(error instanceof pg.DatabaseError) && UNREACHABLE.test(`${code} ${message}`)) {
    return new StartError(`${where} can't be reached. Check DATABASE_URL, and that PostgreSQL is running.`)
  }
  const isTls = TLS.test(`${code} ${message}`)
  const hint = HINTS[code] ?? (isTls ? 'Check sslmode in DATABASE_URL, and TLS on the server.' : 'Check DATABASE_URL.')
  return new StartError(`${where} can't be used: ${message.replaceAll(/\s+/g, ' ').replace(/\.?$/, '.')} ${hint}`)
}

/** The migrations that were applied, without changing anything. None when the tables are not there yet. */
export async function listAppliedMigrations(url: string): Promise<string[]> {
  const settings = { connectionString: url, application_name: PROGRAMS.start, connectionTimeoutMillis: 5000 }
  if (!(await tryPostgres(settings, url)).hasTables) return []
  const client = new pg.Client(settings)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name')
    return rows.map(({ name }) => name)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Refuses while another process of the service is connected: it would seal what it makes with the secret that it was started with. */
export async function refuseBesideReplicas(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey-command',
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = any($1)',
      [[...Object.values(PROGRAMS), ...OLDER_PROGRAMS]],
    )
    if ((rows[0]?.count ?? 0) === 0) return
  } finally {
    await client.end().catch(() => {})
  }
  throw new StartError(
    'The service is still running: processes of it are connected to the database. Stop all replicas first.',
  )
}

interface MigrationOptions {
  log: Logger
  now: number
  timeoutFactor: number
  migrations?: readonly Migration[] | undefined
}

/** Without a time limit on queries: a replica that starts waits until another one has migrated. */
export async function migratePostgres(
  url: string,
  settings: pg.ClientConfig,
  { log, now, timeoutFactor, migrations }: MigrationOptions,
): Promise<void> {
  const own = { ...settings, application_name: PROGRAMS.start }
  await tryPostgres(own, url)
  const purpose = { program: PROGRAMS.start, limits: MIGRATING }
  const single = { pool: openPool({ ...own, max: 1 }, purpose, { log, timeoutFactor }), send: createBatchSender() }
  const { kysely } = createKysely(single, (query) => runAlone(single, query))
  try {
    await migrate(kysely, now, { migrations, beforeUpgrade: () => endOlderSessions(own, log, timeoutFactor) })
  } catch (error) {
    throw explainError(error, url)
  } finally {
    await single.pool.end()
  }
}

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
async function endOlderSessions(settings: pg.ClientConfig, log: Logger, timeoutFactor: number): Promise<void> {
  // Its own connection, since an error would undo the migration, and a transaction sees the sessions as they were at first.
  const client = new pg.Client({ ...settings, query_timeout: QUERY_TIMEOUT_MS * timeoutFactor })
  client.on('error', () => {})
  try {
    await client.connect()
    const { ended, left, failure } = await endAll(client, timeoutFactor)
    if (ended > 0) log.info({ ended }, 'Ended the database sessions of older replicas, which connect again.')
    if (left > 0) log.warn({ left, err: failure }, NOT_ENDED)
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

async function endAll(
  client: pg.Client,
  timeoutFactor: number,
): Promise<{ ended: number; left: number; failure: unknown }> {
  const { rows } = await client.query<{ at: string }>('select clock_timestamp()::text as at')
  const asked = new Set<number>()
  const failures = new Map<number, unknown>()
  const end = async (pid: number) => {
    asked.add(pid)
    await client.query('select pg_terminate_backend($1)', [pid]).catch((error: unknown) => failures.set(pid, error))
  }
  const begunAt = performance.now()
  for (;;) {
    const { rows: sessions } = await client.query<Session>(SESSIONS, [OLDER_PROGRAMS, rows[0]?.at])
    const elapsed = (performance.now() - begunAt) / timeoutFactor
    if (sessions.every(({ pid }) => failures.has(pid)) || elapsed > LIMIT_MS) {
      const [failure] = failures.values()
      return { ended: asked.size - failures.size, left: sessions.length, failure }
    }
    for (const { pid, isFree } of sessions) {
      if (!asked.has(pid) && (isFree || elapsed > GRACE_MS)) await end(pid)
    }
    await setTimeout(PAUSE_MS)
  }
}
