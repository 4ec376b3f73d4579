import { createBatchQueue } from '../../batches.ts'
import { createCommitTasks, type Trx } from '../database.ts'
import { SkippedStatement, StorageFailure } from '../failure.ts'
import { isBroken, isRepeatable, rethrow, translate } from './errors.ts'
import { type Connections, giveBack, type Places, takeFrom, withPatience } from './pool.ts'
import { type Answer, type Query, queryOf } from './statement-batch.ts'

/** A transaction on a connection of the pool. Its statements run in the order in which they were given. */
export interface PostgresTransaction {
  run(query: Query): Promise<Answer>
  /** Runs it before the next statement or the commit, and is sent together with that. When it fails, so does that. */
  runNext(query: Query): void
  commit(): Promise<void>
  /** A connection that is broken is closed instead, and the server then rolls back. */
  rollback(): Promise<void>
  /** Gives the connection back. */
  release(): void
}

/** Does some work in a transaction, and again, after it was undone, where that may help. */
export const transact = <T>(
  places: Places,
  work: (open: PostgresTransaction, afterCommit: Trx['afterCommit']) => Promise<T>,
): Promise<T> =>
  withPatience(places, (connections) =>
    repeat(async () => {
      const { afterCommit, run: runTasks } = createCommitTasks()
      const open = await openTransaction(connections).catch(rethrow)
      try {
        const result = await work(open, afterCommit)
        await open.commit().catch(rethrow)
        runTasks()
        return result
      } catch (error) {
        await open.rollback()
        throw error
      } finally {
        open.release()
      }
    }),
  )

/** How often the work of a transaction is done at most. */
const MAX_TRIES = 3
/** Without a pause it would take the row again before the other, which waits for it, is woken up: the next deadlock. */
const DEADLOCK_PAUSE_MS = 50

/** Does the work again after a deadlock, and when a statement has to be prepared again: the server has undone all of it. */
export async function repeat<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const when = isRepeatable(error)
      if (!when || tries === MAX_TRIES) throw error
      if (when === 'after a pause') await new Promise((resolve) => setTimeout(resolve, DEADLOCK_PAUSE_MS))
    }
  }
}

const BEGIN = queryOf('begin', [], 'begin')
const COMMIT = queryOf('commit', [], 'commit')
const ROLLBACK = queryOf('rollback', [], 'rollback')

interface QueuedStatement {
  query: Query
  resolve(answer: Answer): void
  reject(error: unknown): void
}

const LOST = 'The connection of this transaction is lost.'
const OVER = 'This transaction is over.'
const NOT_UNDONE = 'This transaction could not be undone.'

const MAX_BATCH = 1000
const MAX_WAITING = 10_000
/** The server's limits end the statements before it earlier, but not while a migration runs. */
const MAX_WAIT_MS = 120_000

/** It begins with its first statement. */
export async function openTransaction(connections: Connections): Promise<PostgresTransaction> {
  const client = await takeFrom(connections)
  let hasBegun = false
  /** From then on an unanswered connection may be a commit that the server still does. */
  let hasSentCommit = false
  /**
   * The statement without which nothing may be committed, and why it was not done: the BEGIN, after which others would be
   * transactions of their own, or one that was turned away.
   */
  let missing: { query: Query; error: unknown } | undefined
  /** Why the connection can't be used any more. */
  let broken: unknown
  let isOver = false

  const refuse = (statements: QueuedStatement[], why: string): void => {
    for (const { reject } of statements) reject(new StorageFailure('unavailable', why))
  }
  const skip = (statements: QueuedStatement[], failed: Query, error: unknown): void => {
    for (const { reject } of statements) reject(new SkippedStatement(failed.text, translate(error)))
  }
  const send = async (batch: QueuedStatement[]): Promise<void> => {
    if (broken !== undefined) return refuse(batch, LOST)
    if (missing && batch[0]?.query !== ROLLBACK) return skip(batch, missing.query, missing.error)
    hasBegun = true
    hasSentCommit = batch.some(({ query }) => query === COMMIT)
    const { answers, error } = await connections.send(
      client,
      batch.map(({ query }) => query),
    )
    answers.forEach((answer, at) => batch[at]?.resolve(answer))
    if (error === undefined) return
    if (isBroken(error)) broken = error
    const [failed, ...skipped] = batch.slice(answers.length)
    failed?.reject(error)
    skip(skipped, failed?.query ?? COMMIT, error)
    if (failed?.query !== BEGIN) return
    hasBegun = false
    missing = { query: BEGIN, error }
  }
  const statements = createBatchQueue<QueuedStatement>({
    run: send,
    turnAway({ query, reject }, why) {
      const error = new StorageFailure('unavailable', new Error(`Statements of this transaction wait: ${why}.`))
      missing ??= { query, error }
      reject(error)
    },
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    // Statements that are given in the same step are sent together.
    soon: process.nextTick,
  })
  const add = (query: Query): Promise<Answer> =>
    new Promise((resolve, reject) => statements.add({ query, resolve, reject }))
  /** Nobody waits for its answer. */
  const addQuietly = (query: Query): void => statements.addQuietly({ query, resolve: () => {}, reject: () => {} })
  const checkOpen = () => {
    if (isOver) throw new StorageFailure('unavailable', OVER)
  }
  addQuietly(BEGIN)

  return {
    async run(query) {
      checkOpen()
      return add(query)
    },
    runNext(query) {
      checkOpen()
      addQuietly(query)
    },
    async commit() {
      isOver = true
      // Nothing but the BEGIN waits, and it was never sent.
      if (!hasBegun && !missing && statements.waiting() === 1) return
      const { tag } = await add(COMMIT)
      // The server answers the COMMIT of a failed transaction with success and the command ROLLBACK.
      if (tag !== 'COMMIT') throw new StorageFailure('unavailable', 'The transaction was undone, not committed.')
    },
    async rollback() {
      isOver = true
      await statements.idle()
      refuse(statements.takeWaiting(), OVER)
      if (!hasBegun || broken !== undefined) return
      await add(ROLLBACK).catch(() => {
        // Whatever the reason is, the next transaction must not become part of this one.
        broken ??= new StorageFailure('unavailable', NOT_UNDONE)
      })
    },
    release: () => giveBack(client, hasSentCommit ? connections.abandoned : undefined, broken),
  }
}
