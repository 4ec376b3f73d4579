import type { DatabaseSync } from 'node:sqlite'
import { createBatchQueue } from '../../batches.ts'
import { StorageFailure } from '../failure.ts'
import { isBusy } from './connection.ts'

/**
 * SQLite's single writer. Writes that arrive together are committed together, so that a durable commit (one sync of the
 * disk) is paid once a batch and not once a request. No write is acknowledged before the commit that holds it.
 *
 * A queued write is one statement or one whole transaction. One that fails is undone alone: SQLite undoes a failing statement
 * by itself, and a transaction runs inside a savepoint.
 */
export interface Writer {
  /** Runs one statement and resolves when it is durable. */
  write<T>(run: () => T): Promise<T>
  /** Resolves when this transaction has the connection to itself. */
  begin(): Promise<Transaction>
  /** Runs between two batches. Writes wait for it. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** How many writes wait for a batch. */
  waiting(): number
  /** Resolves when everything queued so far is durable. */
  drained(): Promise<void>
}

/** Bounds how long one batch keeps the event loop. */
const MAX_BATCH = 256
/** Twice as many as hosts may be told of a change at the same moment, each of which then reports. */
const MAX_WAITING = 20_000

/**
 * All writes wait for a transaction that is open. One that waits for anything but the database is a bug, and one that
 * waits for a write outside itself would never end: it is undone and fails, and the others go on.
 */
const MAX_TRANSACTION_MS = 5000

/**
 * Another process may hold the write lock: a database shell, a tool that was left open. It is requested again and again
 * without blocking this thread, so that reads go on. A write that has waited for this long fails as unavailable.
 */
export const MAX_LOCK_WAIT_MS = 3000
const LOCK_RETRY_MS = 10

/** On a slow disk, moving the pages of a long log or deleting many rows takes many seconds, and ends by itself. */
const MAX_BETWEEN_MS = 60_000

interface Bounds {
  maxTransactionMs?: number
  maxLockWaitMs?: number
  maxWaiting?: number
  /** What every write fails with, for as long as none may be made. */
  failure?: () => unknown
}

export function createWriter(
  connection: DatabaseSync,
  translate: (error: unknown) => unknown,
  bounds: Bounds = {},
): Writer {
  const { maxTransactionMs = MAX_TRANSACTION_MS, maxLockWaitMs = MAX_LOCK_WAIT_MS, maxWaiting = MAX_WAITING } = bounds

  /** Those that have not run, because another process holds the write lock. Some of them have waited for too long. */
  const waitForLock = async (unrun: QueuedWrite[], error: unknown): Promise<QueuedWrite[]> => {
    const earliest = performance.now() - maxLockWaitMs
    const inTime = unrun.filter(({ queuedAt }) => queuedAt > earliest)
    for (const write of unrun) if (write.queuedAt <= earliest) write.failed(translate(error))
    if (inTime.length > 0) await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
    return inTime
  }
  const commitNext = async (batch: QueuedWrite[]): Promise<QueuedWrite[] | void> => {
    const failure = bounds.failure?.()
    if (failure !== undefined) return batch.forEach(({ failed }) => failed(failure))
    return commitBatch(connection, translate, batch, waitForLock)
  }
  const writes = createBatchQueue<QueuedWrite>({
    run: commitNext,
    turnAway: ({ failed }, why) => failed(new StorageFailure('unavailable', new Error(`Writes wait: ${why}.`))),
    maxBatch: MAX_BATCH,
    maxWaiting,
    // A transaction that is open, and then another process that has the lock.
    maxWaitMs: maxTransactionMs + maxLockWaitMs,
    maxWaitBetweenMs: MAX_BETWEEN_MS,
  })

  return {
    write: (run) => new Promise((resolve, reject) => writes.add(createQueuedStatement(run, resolve, reject))),
    begin: () =>
      new Promise((started, refused) =>
        writes.add(createQueuedTransaction(connection, maxTransactionMs, { started, refused })),
      ),
    between: (work) => new Promise((resolve, reject) => writes.between(() => work().then(resolve, reject))),
    waiting: writes.waiting,
    drained: writes.idle,
  }
}

function createQueuedStatement<T>(
  run: () => T,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): QueuedWrite {
  let result: T
  return {
    queuedAt: performance.now(),
    run() {
      result = run()
    },
    committed: () => resolve(result),
    failed: reject,
  }
}

/** One statement, or one whole transaction, that waits to be part of a batch. */
interface QueuedWrite {
  /** By the monotonic clock. */
  queuedAt: number
  run(isFirst: boolean): void | Promise<void>
  committed(): void
  failed(error: unknown): void
}

/** Called when another process holds the write lock, so that these writes have not run. Returns those that run in the next batch. */
type Locked = (unrun: QueuedWrite[], error: unknown) => Promise<QueuedWrite[]>

/** Runs the writes one after the other and commits them together. Never rejects: a failure goes to the writes that it concerns. */
async function commitBatch(
  connection: DatabaseSync,
  translate: (error: unknown) => unknown,
  writes: QueuedWrite[],
  locked: Locked,
): Promise<QueuedWrite[]> {
  const done: QueuedWrite[] = []
  let unrun: QueuedWrite[] = []
  try {
    for (const [index, write] of writes.entries()) {
      // At the start, and after a write that had the SQLite transaction for itself and undid it: nothing was written yet.
      const busy = connection.isTransaction ? undefined : begin(connection)
      if (busy !== undefined) {
        unrun = await locked(writes.slice(index), busy)
        break
      }
      try {
        const running = write.run(done.length === 0)
        if (running) await running
        done.push(write)
      } catch (error) {
        write.failed(translate(error))
        // A full disk or an I/O error makes SQLite undo the whole transaction, not the statement alone.
        if (!connection.isTransaction && done.length > 0) throw error
      }
    }
    if (connection.isTransaction) connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    // Calling `failed` twice does no harm: a promise is settled once.
    for (const write of writes) write.failed(translate(error))
    return []
  }
  for (const write of done) write.committed()
  return unrun
}

/** Returns the error when another process holds the write lock. */
function begin(connection: DatabaseSync): unknown {
  try {
    connection.exec('BEGIN IMMEDIATE')
    return undefined
  } catch (error) {
    if (isBusy(error)) return error
    throw error
  }
}

/** A transaction within a batch. It has the connection to itself until it commits or rolls back. */
export interface Transaction {
  /** False once it is over, also when it was ended for taking too long. */
  readonly isOpen: boolean
  /** Its statement that has failed. From then on it can only be undone. */
  failed?: { sql: string; error: unknown }
  /** Undoes it, and rejects, if a statement has failed. */
  commit(): Promise<void>
  rollback(): void
}

/**
 * A transaction runs inside a savepoint, so that it can be undone alone. The first one of its batch needs none, since there
 * is nothing before it to keep: a savepoint makes SQLite copy every page before it is written to.
 */
const SAVEPOINT = { begin: 'SAVEPOINT write', keep: 'RELEASE write', undo: 'ROLLBACK TO write; RELEASE write' }
const WHOLE_BATCH = { begin: '', keep: '', undo: 'ROLLBACK' }

const notCommitted = () => new StorageFailure('unavailable', 'The transaction was undone, not committed.')
const tooLong = () => new StorageFailure('unavailable', 'A transaction stayed open for too long.')

interface Started {
  started(transaction: Transaction): void
  refused(error: unknown): void
}

/** A transaction as a queued write: `started` is called when it has the connection, `refused` when it fails before that. */
function createQueuedTransaction(
  connection: DatabaseSync,
  maxTransactionMs: number,
  { started, refused }: Started,
): QueuedWrite {
  const durable = Promise.withResolvers<void>()
  // After a rollback nothing waits for the commit, and the rejection would be unhandled.
  durable.promise.catch(() => {})

  return {
    queuedAt: performance.now(),
    run(isFirst) {
      const { begin, keep, undo } = isFirst ? WHOLE_BATCH : SAVEPOINT
      if (begin) connection.exec(begin)
      const { promise: over, resolve: end, reject: abort } = Promise.withResolvers<void>()
      let isOpen = true
      const finish = (sql: string, failure?: Error) => {
        if (!isOpen) return
        isOpen = false
        clearTimeout(deadline)
        try {
          if (sql) connection.exec(sql)
          if (failure) abort(failure)
          else end()
        } catch (error) {
          abort(error)
        }
      }
      const deadline = setTimeout(() => finish(undo, tooLong()), maxTransactionMs)
      started({
        get isOpen() {
          return isOpen
        },
        commit() {
          if (this.failed) finish(undo, notCommitted())
          else finish(keep)
          return durable.promise
        },
        rollback: () => finish(undo),
      })
      return over
    },
    committed: durable.resolve,
    failed(error) {
      refused(error)
      durable.reject(error)
    },
  }
}
