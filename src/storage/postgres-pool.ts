import pg from 'pg'
import type { Logger } from 'pino'
import type { Abandoned } from './postgres-abandoned.ts'
import { openSession, type SessionLimits } from './postgres-session.ts'

/** A pool, and the connections whose last statement was not answered. */
export interface Connections {
  pool: pg.Pool
  abandoned: Abandoned
}

export interface PoolNeeds {
  log: Logger
  timeoutFactor: number
  abandoned: Abandoned
}

export function openPool(
  settings: pg.PoolConfig,
  limits: SessionLimits,
  { log, timeoutFactor, abandoned }: PoolNeeds,
): Connections {
  // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its types do not say.
  const pool = new pg.Pool({ ...settings, onConnect: (client) => openSession(client, limits, timeoutFactor) })
  // An idle connection that the server closes is replaced at the next use. Without a listener the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'A database connection was lost.'))
  // The pool listens to idle connections only. One that is lost during a transaction, between two of its queries, makes the
  // next query fail. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { pool, abandoned }
}
