import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { createEmitter, type Signals } from './signals.ts'

const CHANNEL = 'latchkey'
const RECONNECT_MS = 500

/**
 * Signals over LISTEN/NOTIFY. A notification belongs to the transaction that sends it: it is delivered when that commits
 * and never otherwise. What was said while the listening connection was away is made up for by a `resync`.
 */
export function createPostgresSignals(settings: pg.ClientConfig, log: Logger): Signals & { close(): Promise<void> } {
  const { deliver, on } = createEmitter()
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let connecting: Promise<void> = Promise.resolve()

  const listen = async (first: boolean): Promise<void> => {
    const connection = new pg.Client(settings)
    connection.on('notification', ({ payload }) => {
      const { name, payload: told } = JSON.parse(payload ?? '') as { name: string; payload: unknown }
      deliver(name, told)
    })
    let lost = false
    const again = (error?: Error) => {
      if (lost || closed) return
      lost = true
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
    } catch (error) {
      again(error instanceof Error ? error : undefined)
    }
  }
  connecting = listen(true)

  return {
    async emit(db, name, payload) {
      await sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ name, payload })})`.execute(db)
    },
    on,
    async close() {
      closed = true
      clearTimeout(timer)
      await connecting
      await client?.end().catch(() => {})
    },
  }
}
