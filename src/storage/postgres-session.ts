import type { ClientBase } from 'pg'

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
export const SERVING: SessionLimits = {
  lock_timeout: 3000,
  statement_timeout: 3250,
  idle_in_transaction_session_timeout: 5000,
}

/**
 * Where writes of several people are one transaction. Whoever waits for a lock is soon given up there, and tries again alone
 * under the limits above.
 */
export const JOINT_WRITES: SessionLimits = { ...SERVING, lock_timeout: 25, statement_timeout: 250 }

/** Reads that no request waits for. */
export const BACKGROUND: SessionLimits = { ...SERVING, statement_timeout: 60_000 }

/** A step of a migration takes as long as the tables are large, and other replicas wait for it. */
export const MIGRATING: SessionLimits = {
  lock_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 60_000,
}

/** How the server detects that the client is gone: keepalives in seconds, the timeout in milliseconds. */
const TCP = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 3, tcp_keepalives_count: 3, tcp_user_timeout: 10_000 }

/** How long setting the limits may take. Every new session does it before its first query. */
const SET_TIMEOUT_MS = 1000

/**
 * Sets the limits of a new session. With `set` and not in the startup message, since poolers refuse settings there that
 * they do not know. All are in one message, which costs the server almost nothing.
 */
export async function limitSession(client: ClientBase, limits: SessionLimits, timeoutFactor: number): Promise<void> {
  const settings = [...scaled(limits, timeoutFactor), ...Object.entries(TCP)]
  const query = {
    text: settings.map(([name, value]) => `set ${name} = ${value}`).join('; '),
    query_timeout: SET_TIMEOUT_MS * timeoutFactor,
  }
  await client.query(query)
}

const scaled = (limits: SessionLimits, timeoutFactor: number): [string, number][] =>
  Object.entries(limits).map(([name, value]: [string, number]) => [name, value * timeoutFactor])
