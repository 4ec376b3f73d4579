import pg, { type ClientBase, type QueryResult } from 'pg'
import { StorageFailure } from '../failure.ts'
import { READ_ONLY } from './errors.ts'

/** What the server shows as the program's name of each session (`application_name`). */
export const PROGRAMS = {
  start: 'latchkey start',
  pool: 'latchkey pool',
  sharedReads: 'latchkey shared reads',
  sharedWrites: 'latchkey shared writes',
  signals: 'latchkey signals',
}

/** The names that 0.2 and older versions gave to sessions with prepared statements. No session of this version has one of them. */
export const OLDER_PROGRAMS = ['latchkey', 'latchkey reads', 'latchkey writes']

/**
 * The time limits of a PostgreSQL session, as settings of the server. The server enforces them whatever happens to the
 * replica: a replica that is frozen, or whose machine has failed, holds its row locks for seconds only.
 */
export interface SessionLimits {
  /** Milliseconds that a statement may wait for a lock. */
  lock_timeout: number
  /** Milliseconds that a statement may take, with its wait for locks. */
  statement_timeout: number
  /** Milliseconds between two statements of a transaction. The server then undoes it and ends the session. */
  idle_in_transaction_session_timeout: number
}

/**
 * The server ends a statement shortly before the replica stops waiting (QUERY_TIMEOUT_MS), so that nothing is done that was
 * answered with 503, and no statement continues in the server. A frozen replica holds its row locks for one statement and one
 * pause at most: 8.25 seconds.
 */
export const PATIENT: SessionLimits = {
  lock_timeout: 3000,
  statement_timeout: 3250,
  idle_in_transaction_session_timeout: 5000,
}

/**
 * Where changes are tried first. What waits for a lock for longer than this is tried again under the limits above: ordinarily
 * transactions wait for one another as long as a disk takes to write.
 */
export const SERVING: SessionLimits = { ...PATIENT, lock_timeout: 100 }

/** The same for reads, which wait for changes of whole tables only. */
export const READING: SessionLimits = { ...PATIENT, lock_timeout: 25 }

/** The same where statements of several people are one batch. One that takes long is tried again too. */
export const TOGETHER: SessionLimits = { ...PATIENT, lock_timeout: 25, statement_timeout: 250 }

/** Reads that no request waits for. */
export const BACKGROUND: SessionLimits = { ...PATIENT, statement_timeout: 60_000 }

/** A step of a migration takes as long as the tables are large, and other replicas wait for it. */
export const MIGRATING: SessionLimits = {
  lock_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 60_000,
}

/** How the server detects that the client is gone: keepalives in seconds, the timeout in milliseconds. */
const TCP = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 3, tcp_keepalives_count: 3, tcp_user_timeout: 10_000 }

/** How long the first message of a session may take. */
const OPEN_TIMEOUT_MS = 1000

/** A session is replaced when it is this old: an address may lead to another server meanwhile. */
export const MAX_SESSION_MS = 60_000

/** Whether the session is on a standby or can't write. */
export const READ_ONLY_TEXT = "(pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')"
const ID_TEXT = "pid || ' ' || extract(epoch from backend_start)"

const ids = new WeakMap<ClientBase, string>()

/** Tells a session from all others, also of other servers. */
export const sessionOf = (client: ClientBase): string | undefined => ids.get(client)

/** The ids of all sessions that the server of this connection has. */
export async function listSessions(client: ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>(
    `select ${ID_TEXT} as id from pg_stat_activity where datname = current_database()`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** What a session is for. */
export interface SessionPurpose {
  /** What the server shows as the program's name, whatever DATABASE_URL says. */
  program: string
  limits: SessionLimits
}

/**
 * Sets the name and the limits of a new session, and refuses one that can't write. What a standby knows may be old by any amount, so that it
 * serves no reads either: somebody who was disabled would still be signed in there.
 *
 * With `set` and not in the startup message, since poolers refuse settings there that they do not know. All are in one message,
 * which costs the server almost nothing.
 */
export async function openSession(
  client: ClientBase,
  { program, limits }: SessionPurpose,
  timeoutFactor: number,
): Promise<void> {
  const name = ['application_name', pg.escapeLiteral(program)]
  const settings = [name, ...scaled(limits, timeoutFactor), ...Object.entries(TCP)]
  const about = `select ${READ_ONLY_TEXT} as "isReadOnly", ${ID_TEXT} as id from pg_stat_get_activity(pg_backend_pid())`
  const query = {
    text: [...settings.map(([name, value]) => `set ${name} = ${value}`), about].join('; '),
    query_timeout: OPEN_TIMEOUT_MS * timeoutFactor,
  }
  // One result for each statement, which the types of the driver do not know.
  const results = (await client.query(query)) as unknown as QueryResult<{ isReadOnly: boolean; id: string }>[]
  const session = results.at(-1)?.rows[0]
  refuseReadOnly(session)
  if (session) ids.set(client, session.id)
}

export function refuseReadOnly(session: { isReadOnly: boolean } | undefined): void {
  if (session?.isReadOnly === false) return
  const failure = new pg.DatabaseError('the server is a standby, or was made read-only', 0, 'error')
  throw new StorageFailure('unavailable', Object.assign(failure, { code: READ_ONLY }))
}

const scaled = (limits: SessionLimits, timeoutFactor: number): [string, number][] =>
  Object.entries(limits).map(([name, value]: [string, number]) => [name, value * timeoutFactor])
