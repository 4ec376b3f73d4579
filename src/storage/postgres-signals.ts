import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { createEmitter, type Signals } from './signals.ts'

const CHANNEL = 'latchkey'
const RECONNECT_MS = 500
const HEARTBEAT_MS = 5000
const ALIVE = { text: 'select 1', query_timeout: 4000 } as pg.QueryConfig

/**
 * Signals over LISTEN/NOTIFY. A notification belongs to the transaction that sends it: it is delivered when that commits
 * and never otherwise. What was said while the listening connection was away is made up for by a `resync`.
 */
export function createPostgresSignals(settings: pg.ClientConfig, log: Logger): Signals & { close(): Promise<void> } {
  const { deliver, on } = createEmitter()
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let connecting: Promise<void> = Promise.resolve()

  const listen = async (first: boolean): Promise<void> => {
    const connection = new pg.Client(settings)
    connection.on('notification', ({ payload }) => {
      const signal = readSignal(payload)
      if (signal) deliver(signal.name, signal.payload)
    })
    let lost = false
    const again = (error?: Error) => {
      if (lost || closed) return
      lost = true
      clearInterval(heartbeat)
      log.warn({ err: error }, 'The connection that hears other copies was lost; connecting again.')
      void connection.end().catch(() => {})
      timer = setTimeout(() => {
        connecting = listen(false)
      }, RECONNECT_MS)
    }
    connection.on('error', again)
    connection.on('end', again)
    try {
      await connection.connect()
      await connection.query(`listen ${CHANNEL}`)
      client = connection
      if (!first) deliver('resync', null)
      // A connection can be gone without either end being told. Asking now and then is how one finds out.
      heartbeat = setInterval(() => void connection.query(ALIVE).catch(again), HEARTBEAT_MS)
    } catch (error) {
      again(error instanceof Error ? error : undefined)
    }
  }
  connecting = listen(true)

  return {
    async emit(trx, name, payload) {
      await sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ name, payload })})`.execute(trx)
    },
    on,
    async close() {
      closed = true
      clearTimeout(timer)
      await connecting
      clearInterval(heartbeat)
      await client?.end().catch(() => {})
    },
  }
}

/** Anybody with an account on the database can notify on any channel: what is not ours is passed over. */
function readSignal(text: string | undefined): { name: string; payload: unknown } | undefined {
  try {
    const signal = JSON.parse(text ?? '') as { name?: unknown; payload?: unknown } | null
    return typeof signal?.name === 'string' ? { name: signal.name, payload: signal.payload } : undefined
  } catch {
    return undefined
  }
}
