import pg from 'pg'
import { type Outcome, type Query, sendBatch } from './postgres-batch.ts'
import { limitSession, type SessionLimits } from './postgres-session.ts'

/** A statement that waits for its rows. */
export interface Waiting {
  query: Query
  resolve(rows: object[]): void
  reject(error: unknown): void
}

/** What the lanes of a service have in common. */
export interface LaneSettings {
  settings: pg.ClientConfig
  timeoutFactor: number
  /** Runs a statement on a connection of the pool. */
  alone(query: Query): Promise<object[]>
}

interface LaneOptions extends LaneSettings {
  /** What the server shows as the program's name. */
  name: string
  limits: SessionLimits
  /** A connection that has not opened or answered for this long is not given further statements. */
  slowMs: number
  /** One of the statements failed, and the session is still usable. Settles all of them; `again` sends some in the next batch. */
  failed(sent: Waiting[], outcome: Outcome, again: (unsent: Waiting[]) => void): void
}

/** One connection that all requests share. */
export interface Lane {
  run(query: Query): Promise<object[]>
  close(): Promise<void>
}

/** Bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 100

/**
 * Sends the statements of one turn of the event loop in one batch, and those that come meanwhile in the next. That takes a
 * fraction of the processor time of borrowing a connection of the pool for each. While a batch takes long, or connecting for it
 * does, further statements run alone. When the connection is lost, the statements on it fail and the next batch connects again.
 */
export function createLane({ settings, name, limits, timeoutFactor, slowMs, alone, failed }: LaneOptions): Lane {
  let client: pg.Client | undefined
  let waiting: Waiting[] = []
  let isBusy = false
  /** When the batch was begun that is being answered. Before the first one, and after a loss, it begins with connecting. */
  let begunAt: number | undefined
  let late: NodeJS.Timeout | undefined
  let idle = Promise.withResolvers<void>()

  const drop = (lost: pg.Client): void => {
    if (client === lost) client = undefined
    void lost.end().catch(() => {})
  }
  const connect = async (): Promise<pg.Client> => {
    const opened = new pg.Client({ ...settings, application_name: name })
    opened.on('error', () => drop(opened))
    opened.on('end', () => drop(opened))
    try {
      await opened.connect()
      await limitSession(opened, limits, timeoutFactor)
    } catch (error) {
      drop(opened)
      throw error
    }
    client = opened
    return opened
  }

  const runAlone = ({ query, resolve, reject }: Waiting): void => void alone(query).then(resolve, reject)
  const runWaitingAlone = (): void => waiting.splice(0).forEach(runAlone)

  const settle = (used: pg.Client, sent: Waiting[], outcome: Outcome): void => {
    const { answers, error } = outcome
    if (error === undefined) {
      for (let at = 0; at < sent.length; at++) sent[at]?.resolve(answers[at]?.rows ?? [])
    } else if (isConnectionLost(error)) {
      // Before its end is noticed, further statements would be sent on it.
      drop(used)
      for (const { reject } of sent) reject(error)
    } else failed(sent, outcome, (unsent) => waiting.unshift(...unsent))
  }

  /** Sends batches for as long as there is something to send. Never rejects. */
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const sent = waiting.splice(0, MAX_BATCH)
      try {
        begunAt = performance.now()
        const used = client ?? (await connect())
        settle(
          used,
          sent,
          await sendBatch(
            used,
            sent.map(({ query }) => query),
          ),
        )
      } catch (error) {
        for (const { reject } of sent) reject(error)
      } finally {
        begunAt = undefined
        clearTimeout(late)
        late = undefined
      }
    }
    isBusy = false
    idle.resolve()
  }
  const add = (statement: Waiting): void => {
    if (begunAt !== undefined && performance.now() - begunAt > slowMs) return runAlone(statement)
    waiting.push(statement)
    if (begunAt !== undefined) late ??= setTimeout(runWaitingAlone, slowMs)
    if (isBusy) return
    isBusy = true
    idle = Promise.withResolvers()
    setImmediate(() => void work())
  }

  return {
    run: (query) => new Promise((resolve, reject) => add({ query, resolve, reject })),
    async close() {
      if (isBusy) await idle.promise
      await client?.end()
    },
  }
}

/** The server ends the connection after a fatal error, and every other error is the driver's. */
const isConnectionLost = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || error.severity === 'FATAL'
