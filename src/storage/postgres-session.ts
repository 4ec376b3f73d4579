import type { ClientBase } from 'pg'

/**
 * What a session of PostgreSQL may take, in the server's own settings. The server keeps to them whatever becomes of the
 * replica: one that is frozen, or whose machine is gone, holds its rows for seconds and not for as long as it stays so.
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
 * The server gives up a statement shortly before the replica does (QUERY_TIMEOUT_MS), so that nothing is done that was
 * answered with 503, and no statement stays behind in the server. A frozen replica holds its rows for as long as one
 * statement and one pause at most: 8.25 seconds.
 */
export const SERVING: SessionLimits = {
  lock_timeout: 3000,
  statement_timeout: 3250,
  idle_in_transaction_session_timeout: 5000,
}

/** A step of a migration takes as long as the tables are large, and other replicas wait for it. */
export const MIGRATING: SessionLimits = {
  lock_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 60_000,
}

/** How the server finds out that nobody is at the other end: the keepalives in seconds, the timeout in milliseconds. */
const TCP = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 3, tcp_keepalives_count: 3, tcp_user_timeout: 10_000 }

/** As long as a new session may take for them: it is asked for before anything else that waits. */
const SET_TIMEOUT_MS = 1000

/**
 * Sets the limits of a new session. With `set` and not in the startup message, since poolers refuse settings there that
 * they do not know. All in one message, which costs the server next to nothing.
 */
export async function limitSession(client: ClientBase, limits: SessionLimits, patience: number): Promise<void> {
  const settings = [...scaled(limits, patience), ...Object.entries(TCP)]
  const query = {
    text: settings.map(([name, value]) => `set ${name} = ${value}`).join('; '),
    query_timeout: SET_TIMEOUT_MS * patience,
  }
  await client.query(query)
}

const scaled = (limits: SessionLimits, patience: number): [string, number][] =>
  Object.entries(limits).map(([name, value]: [string, number]) => [name, value * patience])
