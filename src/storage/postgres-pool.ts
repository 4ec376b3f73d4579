import pg from 'pg'
import type { Logger } from 'pino'
import type { Abandoned } from './postgres-abandoned.ts'
import { fateOf, isBroken, unlessOfServer } from './postgres-errors.ts'
import { openSession, type SessionPurpose } from './postgres-session.ts'

/** A pool, and the connections of it whose last statement was not answered. */
export interface Connections {
  pool: pg.Pool
  /**
   * Absent where nothing is committed. A connection that does not answer is then closed at once: the server ends the statement by its
   * own time limit.
   */
  abandoned?: Abandoned | undefined
}

export interface PoolNeeds {
  log: Logger
  timeoutFactor: number
}

export function openPool(settings: pg.PoolConfig, purpose: SessionPurpose, { log, timeoutFactor }: PoolNeeds): pg.Pool {
  // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its types do not say.
  const pool = new pg.Pool({ ...settings, onConnect: (client) => openSession(client, purpose, timeoutFactor) })
  // An idle connection that the server closes is replaced at the next use. Without a listener the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'A database connection was lost.'))
  // The pool listens to idle connections only. One that is lost during a transaction, between two of its queries, makes the
  // next query fail. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Takes a connection of the pool. */
export const takeFrom = ({ pool }: Connections): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    throw unlessOfServer(error)
  })

/** Gives a connection back to its pool, after this error or after none. */
export function giveBack(client: pg.PoolClient, abandoned: Abandoned | undefined, error: unknown): void {
  if (abandoned && fateOf(error) === 'unanswered') abandoned.add(client, () => client.release(true))
  else client.release(isBroken(error))
}
