import pg, { type ClientBase } from 'pg'
import type { Logger } from 'pino'
import type { createClockDifference } from '../clock-difference.ts'
import type { Trx } from '../database.ts'
import { createEmitter, type Signaller, signalOnce, type Signals } from '../signals.ts'
import type { Abandoned } from './pool.ts'
import { listSessions, openSession, PROGRAMS, READ_ONLY_TEXT, refuseReadOnly, SERVING } from './session.ts'

const CHANNEL = 'latchkey'
const NOTIFY = { name: 'notify', sql: 'select pg_notify($1, $2)' }
const RECONNECT_MS = 500
const CHECK_MS = 5000
const QUERY_TIMEOUT_MS = 4000

/**
 * Signals over LISTEN/NOTIFY. A notification belongs to the transaction that sends it: it is delivered when that commits
 * and never otherwise. Signals from before this replica listened, or while its listening connection was lost, are missed. So
 * a `resync` follows each LISTEN, the first one included, since the caches were filled before it. The connection is replaced once a
 * minute, so that a change whose signal was lost unnoticed is read that late at the latest.
 */
export function createPostgresSignals(
  settings: pg.ClientConfig,
  { log, watch, ...limits }: Limits & { log: Logger; watch: ListenerEvents['watch'] },
): Signals & { close(): Promise<void> } {
  const { deliver, signals } = createEmitter()
  const listener = startListening(settings, limits, {
    received: (signal) => deliver(signal.name, signal.payload),
    listening: () => deliver('resync', null),
    watch,
    lost: (error) =>
      log.warn({ err: error }, 'The connection for signals of other replicas was lost; connecting again.'),
  })

  return {
    ...signals,
    close: listener.close,
  }
}

/** How a transaction that runs statements like this sends signals. */
export const signalWith = (runNext: Trx['runNext']): Signaller['signal'] =>
  signalOnce((name, payload) => runNext(NOTIFY, [CHANNEL, JSON.stringify({ name, payload })]))

interface Limits {
  timeoutFactor: number
  /** The connection is replaced by another when it is this old. */
  maxSessionMs: number
}

interface ReceivedSignal {
  name: string
  payload: unknown
}

interface ListenerEvents {
  received(signal: ReceivedSignal): void
  /** From now on signals are received. */
  listening(): void
  /** Asks the server something, now and then. When that fails, the connection is taken for lost. */
  watch(connection: pg.ClientBase): Promise<void>
  lost(error: Error | undefined): void
}

/** Listens on a connection of its own, and connects again whenever that is lost. */
function startListening(settings: pg.ClientConfig, { timeoutFactor, maxSessionMs }: Limits, events: ListenerEvents) {
  const checkMs = Math.min(CHECK_MS, maxSessionMs / 4)
  let isClosed = false
  let client: pg.Client | undefined
  let reconnect: NodeJS.Timeout | undefined
  let checking: NodeJS.Timeout | undefined

  const listen = async (): Promise<void> => {
    const connection = new pg.Client({
      ...settings,
      query_timeout: QUERY_TIMEOUT_MS * timeoutFactor,
    })
    connection.on('notification', ({ payload }) => {
      const signal = readSignal(payload)
      if (signal) events.received(signal)
    })
    let isLost = false
    const connectAfter = (delayMs: number) => {
      isLost = true
      clearInterval(checking)
      void connection.end().catch(() => {})
      reconnect = setTimeout(() => {
        connecting = listen()
      }, delayMs)
    }
    const connectAgain = (error?: Error) => {
      if (isLost) return
      if (isClosed) void connection.end().catch(() => {})
      else {
        events.lost(error)
        connectAfter(RECONNECT_MS)
      }
    }
    let age = 0
    let watching: Promise<void> | undefined
    const watch = () => (watching ??= events.watch(connection).finally(() => (watching = undefined)))
    const check = () => {
      age += checkMs
      if (age >= maxSessionMs) connectAfter(0)
      else void watch().catch(connectAgain)
    }
    connection.on('error', connectAgain)
    connection.on('end', connectAgain)
    try {
      await connection.connect()
      await openSession(connection, { program: PROGRAMS.signals, limits: SERVING }, timeoutFactor)
      await connection.query(`listen ${CHANNEL}`)
      client = connection
      events.listening()
      // A connection can be lost without either end noticing. A query now and then finds out.
      checking = setInterval(check, checkMs)
      await watch()
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
      clearInterval(checking)
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

interface Watched {
  clock: ReturnType<typeof createClockDifference>
  abandoned: Abandoned
  systemNow: () => number
}

const STATE = `select ${READ_ONLY_TEXT} as "isReadOnly", extract(epoch from clock_timestamp())::float8 * 1000 as now`

/** Reads, now and then, what no request asks for: the clock of the database, and which sessions it has. */
export const createWatch =
  ({ clock, abandoned, systemNow }: Watched) =>
  async (client: ClientBase): Promise<void> => {
    const sentAt = systemNow()
    const { rows } = await client.query<{ isReadOnly: boolean; now: number }>(STATE)
    const [state] = rows
    refuseReadOnly(state)
    if (state) clock.note({ sentAt, answeredAt: systemNow(), databaseNow: state.now })
    await abandoned.closeUnknown(() => listSessions(client))
  }
