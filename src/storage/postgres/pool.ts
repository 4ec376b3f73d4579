import pg from 'pg'
import type { Logger } from 'pino'
import { StorageFailure } from '../failure.ts'
import { fateOf, isBroken, isLockWait, isStale, unlessOfServer } from './errors.ts'
import { openSession, sessionOf, type SessionPurpose } from './session.ts'
import type { Answer, Query, SendBatch } from './statement-batch.ts'

/** A pool, and the connections of it whose last statement was not answered. */
export interface Connections {
  pool: pg.Pool
  send: SendBatch
  /**
   * Absent where nothing is committed. A connection that does not answer is then closed at once: the server ends the statement by its
   * own time limit.
   */
  abandoned?: Abandoned | undefined
}

export function openPool(
  settings: pg.PoolConfig,
  purpose: SessionPurpose,
  { log, timeoutFactor }: { log: Logger; timeoutFactor: number },
): pg.Pool {
  // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its types do not say.
  const pool = new pg.Pool({ ...settings, onConnect: (client) => openSession(client, purpose, timeoutFactor) })
  // An idle connection that the server closes is replaced at the next use. Without a listener the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'A database connection was lost.'))
  // The pool listens to idle connections only. One that is lost during a transaction, between two of its queries, makes the
  // next query fail. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** More do not wait for a connection. For how long they wait is a setting of each pool. */
const MAX_WAITING = 10_000

/** Takes a connection of the pool. */
export async function takeFrom({ pool }: Connections): Promise<pg.PoolClient> {
  if (pool.waitingCount >= MAX_WAITING)
    throw new StorageFailure('unavailable', new Error('Too many wait for a connection.'))
  try {
    return await pool.connect()
  } catch (error) {
    throw unlessOfServer(error)
  }
}

/** Gives a connection back to its pool, after this error or after none. */
export function giveBack(client: pg.PoolClient, abandoned: Abandoned | undefined, error: unknown): void {
  if (abandoned && fateOf(error) === 'unanswered') abandoned.add(client, () => client.release(true))
  else client.release(isBroken(error))
}

/** Where work is tried first, and where it is tried again when it has waited for a lock. */
export interface Places {
  first: Connections
  patient: Connections
}

/**
 * Work that waits for a lock is soon given up by the server, which undoes it, and is done again among the few that may wait. However
 * many wait, for a row or for a table, they never take the connections that everybody else needs.
 */
export async function withPatience<T>(
  { first, patient }: Places,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  try {
    return await work(first)
  } catch (error) {
    if (!isLockWait(error)) throw error
    return work(patient)
  }
}

/** Runs one statement on a connection of the pool. */
export async function runAlone(connections: Connections, query: Query): Promise<Answer> {
  const client = await takeFrom(connections)
  let outcome = await connections.send(client, [query])
  if (isStale(outcome.error)) outcome = await connections.send(client, [query])
  const { answers, error } = outcome
  giveBack(client, connections.abandoned, error)
  if (error !== undefined) throw error
  return answers[0] as Answer
}

/** How single statements run. */
export interface Alone {
  run(query: Query): Promise<Answer>
  /** For a statement that has waited for a lock before, or taken long. */
  runPatiently(query: Query): Promise<Answer>
}

export const createAlone = (places: Places): Alone => ({
  run: (query) => withPatience(places, (connections) => runAlone(connections, query)),
  runPatiently: (query) => runAlone(places.patient, query),
})

/**
 * Connections whose commit was not answered in time. The server may go on with it for as long as it likes: a commit waits
 * for a synchronous standby without any limit, also when the client is gone. Closing the connection here and opening another
 * would take one more session of the server each time, until it has none left. So they count as open until the server has closed them.
 *
 * Any other statement is ended by the server's own time limit, so that its connection is closed at once.
 *
 * The server is never asked to cancel the commit: a commit that is cancelled while it waits for the standby is done without it.
 */
export interface Abandoned {
  /** Calls `ended` when the connection is closed. */
  add(client: pg.ClientBase, ended: () => void): void
  count(): number
  /** Given a way to list the sessions that the server has: closes the connections of others, whose server is gone. */
  closeUnknown(list: () => Promise<ReadonlySet<string>>): Promise<void>
  /** Closes all of them. */
  close(): void
}

export function createAbandoned(): Abandoned {
  const waiting = new Set<pg.Client>()
  const destroy = (client: pg.Client) => client.connection.stream.destroy()
  return {
    add(given, ended) {
      const client = given as pg.Client
      const { connection } = client
      if (connection.stream.destroyed) return ended()
      waiting.add(client)
      connection.once('end', () => {
        waiting.delete(client)
        ended()
      })
      // The commit was answered after all. Ending it now would close the socket at once, and not wait for the answer.
      client.once('drain', () => void client.end().catch(() => {}))
    },
    count: () => waiting.size,
    async closeUnknown(list) {
      if (waiting.size === 0) return
      const before = [...waiting]
      const known = await list()
      for (const client of before) if (!known.has(sessionOf(client) ?? '')) destroy(client)
    },
    close: () => waiting.forEach(destroy),
  }
}
