import type pg from 'pg'
import { createBatchQueue } from '../../batches.ts'
import { StorageFailure } from '../failure.ts'
import { fateOf, isOutOfTime, isReadOnly, isStale, translate, unlessOfServer } from './errors.ts'
import type { Abandoned, Alone } from './pool.ts'
import { openSession, PROGRAMS, TOGETHER } from './session.ts'
import type { Outcome, Query, SendBatch } from './statement-batch.ts'

/** One connection that all requests share. */
export interface SharedConnection {
  run(query: Query): Promise<object[]>
  close(): Promise<void>
}

/** What the shared connections of a service have in common. */
export interface SharedSettings {
  createClient(): pg.Client
  timeoutFactor: number
  /** The connection is replaced by another when it is this old. */
  maxSessionMs: number
  send: SendBatch
  /** Runs a statement on a connection of the pool. */
  alone: Alone
  /** Absent where nothing is committed, as in `Connections`. */
  abandoned?: Abandoned | undefined
}

/** A statement that waits for its rows. */
interface QueuedStatement {
  query: Query
  resolve(rows: object[]): void
  reject(error: unknown): void
}

/** What a batch has come to in which one statement failed, and after which the session is still usable. */
interface FailedBatch {
  /** Those before the one that failed. The server has done them, but undone them again if they changed something. */
  before: QueuedStatement[]
  /** Undefined if it was the commit of all of them. */
  failed: QueuedStatement | undefined
  /** The server has skipped these. */
  after: QueuedStatement[]
  outcome: Outcome
  runAlone(statement: QueuedStatement): void
  /** For the one that has waited, or taken long. */
  runPatiently(statement: QueuedStatement): void
}

interface Options extends SharedSettings {
  /** What the server shows as its name. */
  program: string
  /** A connection that has not opened or answered for this long is not given further statements. */
  slowMs: number
  /** Settles all of them, but those that it returns: they are sent again in the next batch. */
  settle(batch: FailedBatch): QueuedStatement[]
}

/** While the connection for reads has not answered for this long, reads run alone. */
export const SLOW_READ_MS = 10
/** While a commit takes longer than this, writes run alone. */
const SLOW_WRITE_MS = 50

/**
 * Reads without a transaction. One that fails fails alone, and one that waits for a lock or takes long is run again alone.
 */
export const createSharedReads = (shared: SharedSettings): SharedConnection =>
  createSharedConnection({
    ...shared,
    program: PROGRAMS.sharedReads,
    slowMs: SLOW_READ_MS,
    settle({ before, failed, after, outcome: { answers, error }, runAlone, runPatiently }) {
      before.forEach(({ resolve }, at) => resolve(answers[at]?.rows ?? []))
      if (failed && isOutOfTime(error)) {
        runPatiently(failed)
        // Others of them may wait too. In one batch each would hold up those after it.
        after.forEach(runAlone)
        return []
      }
      if (failed && isStale(error)) runAlone(failed)
      else failed?.reject(error)
      return after
    },
  })

/**
 * Writes that are one statement: those that arrive together are committed together, so that the sync of the disk is paid once for
 * all. When one of them fails, or waits for a row that somebody else has locked, none of them is done, and each runs alone: what happens
 * to one does not concern the others.
 */
export const createSharedWrites = (shared: SharedSettings): SharedConnection =>
  createSharedConnection({
    ...shared,
    program: PROGRAMS.sharedWrites,
    slowMs: SLOW_WRITE_MS,
    settle({ before, failed, after, outcome: { error }, runAlone, runPatiently }) {
      for (const statement of [...before, ...after]) runAlone(statement)
      if (failed && isOutOfTime(error)) runPatiently(failed)
      else if (failed) runAlone(failed)
      return []
    },
  })

interface Session {
  client: pg.Client
  openedAt: number
}

/** Bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 100
/** More run alone, where their number is limited too. */
const MAX_WAITING = 10_000

/** From this share of its life on, another connection is opened for it; and how often that is tried. */
const RENEW_AT = 2 / 3
const RENEW_TRIES = 6

/**
 * Sends the statements of one tick of the event loop in one batch, and those that come meanwhile in the next. That takes a
 * fraction of the processor time of borrowing a connection of the pool for each. While a batch takes long, or connecting for it
 * does, further statements run alone. When the connection is lost, the statements on it fail and the next batch connects again.
 */
function createSharedConnection(options: Options): SharedConnection {
  const { createClient, program, timeoutFactor, maxSessionMs, slowMs, send, alone, abandoned } = options
  let session: Session | undefined
  /** Opened while `session` was in use, and takes its place at the next batch. */
  let next: Session | undefined
  let renewal: Promise<void> | undefined
  /** The last connection has not answered, and the server has not closed it. */
  let isAbandoned = false
  let isSending = false

  const drop = (lost: pg.Client): void => {
    if (session?.client === lost) session = undefined
    if (next?.client === lost) next = undefined
    void lost.end().catch(() => {})
  }
  const open = async (): Promise<Session> => {
    const openedAt = performance.now()
    const client = createClient()
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
        if (isSending && next) drop(next.client)
        if (isSending) next = opened
        else use(opened)
      })
      .catch(() => {})
      .finally(() => (renewal = undefined))
  }
  const renewing = setInterval(renew, maxSessionMs / RENEW_TRIES).unref()

  const runAlone = ({ query, resolve, reject }: QueuedStatement): void =>
    void alone.run(query).then(({ rows }) => resolve(rows), reject)
  const runPatiently = ({ query, resolve, reject }: QueuedStatement): void =>
    void alone.runPatiently(query).then(({ rows }) => resolve(rows), reject)

  const settle = (used: pg.Client, sent: QueuedStatement[], outcome: Outcome): QueuedStatement[] => {
    const { answers, error } = outcome
    if (error === undefined) {
      for (let at = 0; at < sent.length; at++) sent[at]?.resolve(answers[at]?.rows ?? [])
      return []
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
    if (fate !== 'refused') {
      failAll(sent, error)
      return []
    }
    const at = answers.length
    const parts = { before: sent.slice(0, at), failed: sent[at], after: sent.slice(at + 1) }
    return options.settle({ ...parts, outcome, runAlone, runPatiently })
  }

  const sendTogether = async (sent: QueuedStatement[]): Promise<QueuedStatement[]> => {
    if (isAbandoned) {
      sent.forEach(runAlone)
      return []
    }
    isSending = true
    try {
      const { client } = current() ?? use(await open())
      const queries = sent.map(({ query }) => query)
      return settle(client, sent, await send(client, queries))
    } catch (error) {
      failAll(sent, error)
      return []
    } finally {
      isSending = false
    }
  }
  const statements = createBatchQueue<QueuedStatement>({
    run: sendTogether,
    turnAway: runAlone,
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxWaitMs: slowMs,
  })

  return {
    run: (query) =>
      new Promise((resolve, reject) => {
        const statement = { query, resolve, reject }
        if (isAbandoned) runAlone(statement)
        else statements.add(statement)
      }),
    async close() {
      clearInterval(renewing)
      await statements.idle()
      await renewal
      await Promise.all([session?.client.end(), next?.client.end()])
    },
  }
}

/** Nobody knows what the server has done of them. Each gets an error of its own, whose stack is that of who asked. */
function failAll(statements: QueuedStatement[], error: unknown): void {
  const failure = translate(error)
  for (const { reject } of statements)
    reject(failure instanceof StorageFailure ? new StorageFailure(failure.kind, failure.cause) : failure)
}
