import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { limitSession, SERVING } from './postgres-session.ts'
import { createEmitter, type Signals } from './signals.ts'

const CHANNEL = 'latchkey'
const RECONNECT_MS = 500
const HEARTBEAT_MS = 5000
/** How late a change is read at the latest when its signal was lost unnoticed. */
const RESYNC_MS = 60_000
const QUERY_TIMEOUT_MS = 4000

/**
 * Signals over LISTEN/NOTIFY. A notification belongs to the transaction that sends it: it is delivered when that commits
 * and never otherwise. Signals from before this replica listened, or while its listening connection was lost, are made up
 * for by a `resync` after each LISTEN, the first one included, since the caches were filled before it.
 */
export function createPostgresSignals(
  settings: pg.ClientConfig,
  log: Logger,
  patience: number,
): Signals & { close(): Promise<void> } {
  const { deliver, on } = createEmitter()
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let connecting: Promise<void> = Promise.resolve()
  const resync = () => deliver('resync', null)

  const listen = async (): Promise<void> => {
    const connection = new pg.Client({
      ...settings,
      application_name: 'latchkey signals',
      query_timeout: QUERY_TIMEOUT_MS * patience,
    })
    connection.on('notification', ({ payload }) => {
      const signal = readSignal(payload)
      if (signal) deliver(signal.name, signal.payload)
    })
    let lost = false
    const again = (error?: Error) => {
      if (lost || closed) return
      lost = true
      clearInterval(heartbeat)
      log.warn({ err: error }, 'The connection that hears other replicas was lost; connecting again.')
      void connection.end().catch(() => {})
      timer = setTimeout(() => {
        connecting = listen()
      }, RECONNECT_MS)
    }
    connection.on('error', again)
    connection.on('end', again)
    try {
      await connection.connect()
      await limitSession(connection, SERVING, patience)
      await connection.query(`listen ${CHANNEL}`)
      client = connection
      resync()
      // A connection can be lost without either end noticing. A query now and then finds out.
      heartbeat = setInterval(() => void connection.query('select 1').catch(again), HEARTBEAT_MS)
    } catch (error) {
      again(error instanceof Error ? error : undefined)
    }
  }
  connecting = listen()
  const resyncing = setInterval(resync, RESYNC_MS).unref()

  return {
    async emit(trx, name, payload) {
      await sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ name, payload })})`.execute(trx)
    },
    on,
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(resyncing)
      await connecting
      clearInterval(heartbeat)
      await client?.end().catch(() => {})
    },
  }
}

/** Any database user can notify on any channel: what is not a signal of ours is ignored. */
function readSignal(text: string | undefined): { name: string; payload: unknown } | undefined {
  try {
    const signal = JSON.parse(text ?? '') as { name?: unknown; payload?: unknown } | null
    return typeof signal?.name === 'string' ? { name: signal.name, payload: signal.payload } : undefined
  } catch {
    return undefined
  }
}
