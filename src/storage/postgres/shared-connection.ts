import pg from 'pg'
import { fateOf, isOutOfTime, isReadOnly, isStale, unlessOfServer } from './errors.ts'
import type { Abandoned, Alone } from './pool.ts'
import { openSession, PROGRAMS, TOGETHER } from './session.ts'
import { type Outcome, type Query, sendBatch } from './statement-batch.ts'

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
  /** The connection is replaced by another when it is this old. */
  maxSessionMs: number
  /** Runs a statement on a connection of the pool. */
  alone: Alone
  /** Absent where nothing is committed, as in `Connections`. */
  abandoned?: Abandoned | undefined
}

/** What to do with the statements of a batch when one of them failed and the session is still usable. */
export interface Unsettled {
  /** Those before the one that failed. The server has done them, but undone them again if they changed something. */
  before: Waiting[]
  /** Undefined if it was the commit of all of them. */
  failed: Waiting | undefined
  /** The server has skipped these. */
  after: Waiting[]
  outcome: Outcome
  /** Sends them in the next batch. */
  sendAgain(unsent: Waiting[]): void
  runAlone(statement: Waiting): void
  /** For the one that has waited, or taken long. */
  runPatiently(statement: Waiting): void
}

interface LaneOptions extends LaneSettings {
  /** What the server shows as its name. */
  program: string
  /** A connection that has not opened or answered for this long is not given further statements. */
  slowMs: number
  /** Settles all of them. */
  settle(unsettled: Unsettled): void
}

/** One connection that all requests share. */
export interface Lane {
  run(query: Query): Promise<object[]>
  close(): Promise<void>
}

interface Session {
  client: pg.Client
  openedAt: number
}

/** Bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 100

/** From this share of its life on, another connection is opened for it; and how often that is tried. */
const RENEW_AT = 2 / 3
const RENEW_TRIES = 6

/**
 * Sends the statements of one turn of the event loop in one batch, and those that come meanwhile in the next. That takes a
 * fraction of the processor time of borrowing a connection of the pool for each. While a batch takes long, or connecting for it
 * does, further statements run alone. When the connection is lost, the statements on it fail and the next batch connects again.
 */
function createLane(options: LaneOptions): Lane {
  const { settings, program, timeoutFactor, maxSessionMs, slowMs, alone, abandoned } = options
  let session: Session | undefined
  /** Opened while `session` was in use, and takes its place at the next batch. */
  let next: Session | undefined
  let renewal: Promise<void> | undefined
  /** The last connection has not answered, and the server has not closed it. */
  let isAbandoned = false
  let waiting: Waiting[] = []
  let isBusy = false
  /** When the batch was begun that is being answered. Before the first one, and after a loss, it begins with connecting. */
  let begunAt: number | undefined
  let late: NodeJS.Timeout | undefined
  let idle = Promise.withResolvers<void>()

  const drop = (lost: pg.Client): void => {
    if (session?.client === lost) session = undefined
    if (next?.client === lost) next = undefined
    void lost.end().catch(() => {})
  }
  const open = async (): Promise<Session> => {
    const openedAt = performance.now()
    const client = new pg.Client(settings)
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    try {
      await client.connect()
      await openSession(client, { program, limits: TOGETHER }, timeoutFactor)
    } catch (error) {
      drop(client)
      throw unlessOfServer(error)
    }
    return { client, openedAt }
  }
  const use = (opened: Session): Session => {
    for (const earlier of [session, next]) if (earlier && earlier !== opened) drop(earlier.client)
    next = undefined
    return (session = opened)
  }
  const isOlderThan = (ageMs: number, { openedAt }: Session): boolean => performance.now() - openedAt > ageMs
  const current = (): Session | undefined => {
    if (next) use(next)
    if (session && isOlderThan(maxSessionMs, session)) drop(session.client)
    return session
  }
  /** Before the connection is too old, so that no statement waits for the next one. */
  const renew = (): void => {
    const newest = next ?? session
    if (!newest || !isOlderThan(maxSessionMs * RENEW_AT, newest)) return
    renewal ??= open()
      .then((opened) => {
        if (isBusy && next) drop(next.client)
        if (isBusy) next = opened
        else use(opened)
      })
      .catch(() => {})
      .finally(() => (renewal = undefined))
  }
  const renewing = setInterval(renew, maxSessionMs / RENEW_TRIES).unref()

  const runAlone = ({ query, resolve, reject }: Waiting): void =>
    void alone.run(query).then(({ rows }) => resolve(rows), reject)
  const runPatiently = ({ query, resolve, reject }: Waiting): void =>
    void alone.runPatiently(query).then(({ rows }) => resolve(rows), reject)
  const runWaitingAlone = (): void => waiting.splice(0).forEach(runAlone)
  const sendAgain = (unsent: Waiting[]): void => void waiting.unshift(...unsent)

  const settle = (used: pg.Client, sent: Waiting[], outcome: Outcome): void => {
    const { answers, error } = outcome
    if (error === undefined) {
      for (let at = 0; at < sent.length; at++) sent[at]?.resolve(answers[at]?.rows ?? [])
      return
    }
    const fate = fateOf(error)
    if (fate === 'unanswered' && abandoned) {
      session = undefined
      isAbandoned = true
      abandoned.add(used, () => (isAbandoned = false))
    } else if (fate !== 'refused' || isReadOnly(error)) {
      // Before its end is noticed, further statements would be sent on it.
      drop(used)
    }
    if (fate !== 'refused') return sent.forEach(({ reject }) => reject(error))
    const at = answers.length
    const parts = { before: sent.slice(0, at), failed: sent[at], after: sent.slice(at + 1) }
    options.settle({ ...parts, outcome, sendAgain, runAlone, runPatiently })
  }

  /** Sends batches for as long as there is something to send. Never rejects. */
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (isAbandoned) {
        runWaitingAlone()
        break
      }
      const sent = waiting.splice(0, MAX_BATCH)
      try {
        begunAt = performance.now()
        const { client } = current() ?? use(await open())
        settle(
          client,
          sent,
          await sendBatch(
            client,
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
    const isLate = begunAt !== undefined && performance.now() - begunAt > slowMs
    if (isAbandoned || isLate) return runAlone(statement)
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
      clearInterval(renewing)
      if (isBusy) await idle.promise
      await renewal
      await Promise.all([session?.client.end(), next?.client.end()])
    },
  }
}

/** While the connection has not answered for this long, reads run alone. */
export const SLOW_READ_MS = 10

/**
 * Reads without a transaction, on one connection that all requests share. One that fails fails alone, and one that waits for a
 * lock or takes long is run again alone.
 */
export const createReads = (shared: LaneSettings): Lane =>
  createLane({
    ...shared,
    program: PROGRAMS.sharedReads,
    slowMs: SLOW_READ_MS,
    settle({ before, failed, after, outcome: { answers, error }, sendAgain, runAlone, runPatiently }) {
      before.forEach(({ resolve }, at) => resolve(answers[at]?.rows ?? []))
      if (failed && isOutOfTime(error)) {
        runPatiently(failed)
        // Others of them may wait too. In one batch each would hold up those after it.
        after.forEach(runAlone)
        return
      }
      if (failed && isStale(error)) runAlone(failed)
      else failed?.reject(error)
      sendAgain(after)
    },
  })

/** While a commit takes longer than this, writes run alone. */
const SLOW_WRITE_MS = 50

/**
 * Writes that are one statement, on one connection that all requests share: those that arrive together are committed together,
 * so that the sync of the disk is paid once for all. When one of them fails, or waits for a row that somebody else holds, none
 * of them is done, and each runs alone: what happens to one does not concern the others.
 */
export const createWrites = (shared: LaneSettings): Lane =>
  createLane({
    ...shared,
    program: PROGRAMS.sharedWrites,
    slowMs: SLOW_WRITE_MS,
    settle({ before, failed, after, outcome: { error }, runAlone, runPatiently }) {
      for (const statement of [...before, ...after]) runAlone(statement)
      if (failed && isOutOfTime(error)) runPatiently(failed)
      else if (failed) runAlone(failed)
    },
  })
