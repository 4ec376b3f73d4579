import pg from 'pg'
import type { Logger } from 'pino'
import { limitSession, SERVING } from './postgres-session.ts'
import { createEmitter, type Signals } from './signals.ts'

const CHANNEL = 'latchkey'
const NOTIFY = { name: 'notify', sql: 'select pg_notify($1, $2)' }
const RECONNECT_MS = 500
const HEARTBEAT_MS = 5000
/** How late a change is read at the latest when its signal was lost unnoticed. */
const RESYNC_MS = 60_000
const QUERY_TIMEOUT_MS = 4000

/**
 * Signals over LISTEN/NOTIFY. A notification belongs to the transaction that sends it: it is delivered when that commits
 * and never otherwise. Signals from before this replica listened, or while its listening connection was lost, are missed. So
 * a `resync` follows each LISTEN, the first one included, since the caches were filled before it.
 */
export function createPostgresSignals(
  settings: pg.ClientConfig,
  log: Logger,
  timeoutFactor: number,
): Signals & { close(): Promise<void> } {
  const { deliver, on } = createEmitter()
  const resync = () => deliver('resync', null)
  const listener = startListening(settings, timeoutFactor, {
    received: (signal) => deliver(signal.name, signal.payload),
    listening: resync,
    lost: (error) =>
      log.warn({ err: error }, 'The connection for signals of other replicas was lost; connecting again.'),
  })
  const resyncing = setInterval(resync, RESYNC_MS).unref()

  return {
    async emit(trx, name, payload) {
      trx.runNext(NOTIFY, [CHANNEL, JSON.stringify({ name, payload })])
    },
    on,
    async close() {
      clearInterval(resyncing)
      await listener.close()
    },
  }
}

interface ReceivedSignal {
  name: string
  payload: unknown
}

interface ListenerEvents {
  received(signal: ReceivedSignal): void
  /** From now on signals are received. */
  listening(): void
  lost(error: Error | undefined): void
}

/** Listens on a connection of its own, and connects again whenever that is lost. */
function startListening(settings: pg.ClientConfig, timeoutFactor: number, events: ListenerEvents) {
  let isClosed = false
  let client: pg.Client | undefined
  let reconnect: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined

  const listen = async (): Promise<void> => {
    const connection = new pg.Client({
      ...settings,
      application_name: 'latchkey signals',
      query_timeout: QUERY_TIMEOUT_MS * timeoutFactor,
    })
    connection.on('notification', ({ payload }) => {
      const signal = readSignal(payload)
      if (signal) events.received(signal)
    })
    let isLost = false
    const connectAgain = (error?: Error) => {
      if (isLost || isClosed) return
      isLost = true
      clearInterval(heartbeat)
      events.lost(error)
      void connection.end().catch(() => {})
      reconnect = setTimeout(() => {
        connecting = listen()
      }, RECONNECT_MS)
    }
    connection.on('error', connectAgain)
    connection.on('end', connectAgain)
    try {
      await connection.connect()
      await limitSession(connection, SERVING, timeoutFactor)
      await connection.query(`listen ${CHANNEL}`)
      client = connection
      events.listening()
      // A connection can be lost without either end noticing. A query now and then finds out.
      heartbeat = setInterval(() => void connection.query('select 1').catch(connectAgain), HEARTBEAT_MS)
    } catch (error) {
      connectAgain(error instanceof Error ? error : undefined)
    }
  }
  let connecting = listen()

  return {
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(reconnect)
      await connecting
      clearInterval(heartbeat)
      await client?.end().catch(() => {})
    },
  }
}

/** Any database user can notify on any channel: what is not a signal of ours is ignored. */
function readSignal(text: string | undefined): ReceivedSignal | undefined {
  try {
    const signal = JSON.parse(text ?? '') as { name?: unknown; payload?: unknown } | null
    return typeof signal?.name === 'string' ? { name: signal.name, payload: signal.payload } : undefined
  } catch {
    return undefined
  }
}
