import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFailure } from '../failure.ts'
import { isBusy } from './errors.ts'

/**
 * SQLite's single writer. Writes that arrive together are committed together, so that a durable commit (one sync of the
 * disk) is paid once a batch and not once a request. No write is acknowledged before the commit that holds it.
 *
 * A turn is one statement or one whole transaction. A failing turn is undone alone: SQLite undoes a failing statement
 * by itself, and a transaction runs inside a savepoint.
 */
export interface Writer {
  /** Runs one statement and resolves when it is durable. */
  write<T>(run: () => T): Promise<T>
  /** Resolves when this transaction has the connection to itself. */
  begin(): Promise<Transaction>
  /** Runs between two batches. Writes wait for it. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** How many turns wait for a batch. */
  waiting(): number
  /** Resolves when everything queued so far is durable. */
  drained(): Promise<void>
}

/** Bounds how long one batch keeps the event loop. */
const MAX_TURNS = 256

/**
 * All writes wait for a transaction that is open. One that waits for anything but the database is a bug, and one that
 * waits for a write outside itself would never end: it is undone and fails, and the others go on.
 */
const MAX_TRANSACTION_MS = 5000

/**
 * Another process may hold the write lock: a database shell, a tool that was left open. It is requested again and again
 * without blocking this thread, so that reads go on. A turn that has waited for this long fails as unavailable.
 */
export const MAX_LOCK_WAIT_MS = 3000
const LOCK_RETRY_MS = 10

interface Bounds {
  maxTransactionMs?: number
  maxLockWaitMs?: number
  /** Returns the failure of every write for as long as none may be made. */
  refusal?: () => unknown
}

export function createWriter(
  connection: DatabaseSync,
  translate: (error: unknown) => unknown,
  { maxTransactionMs = MAX_TRANSACTION_MS, maxLockWaitMs = MAX_LOCK_WAIT_MS, refusal }: Bounds = {},
): Writer {
  const waiting: Turn[] = []
  const pauses: (() => Promise<void>)[] = []
  const idle: (() => void)[] = []
  let busy = false

  const wake = () => {
    if (busy) return
    busy = true
    setImmediate(nextBatch)
  }

  const enqueue = (turn: Omit<Turn, 'queuedAt'>) => {
    waiting.push({ ...turn, queuedAt: performance.now() })
    wake()
  }

  const nextBatch = () => {
    const pause = pauses.shift()
    void (pause ? pause() : commitNext()).then(() => {
      if (pauses.length > 0 || waiting.length > 0) return setImmediate(nextBatch)
      busy = false
      return idle.splice(0).forEach((resolve) => resolve())
    })
  }

  const commitNext = async () => {
    const turns = waiting.splice(0, MAX_TURNS)
    const refused = refusal?.()
    if (refused !== undefined) return turns.forEach(({ failed }) => failed(refused))
    return commitBatch(connection, translate, turns, async (unrun, error) => {
      waiting.unshift(...unrun)
      for (const late of takeLate(waiting, maxLockWaitMs)) late.failed(translate(error))
      if (waiting.length > 0) await sleep(LOCK_RETRY_MS)
    })
  }

  return {
    write: (run) => new Promise((resolve, reject) => enqueue(createStatementTurn(run, resolve, reject))),
    begin: () =>
      new Promise((started, refused) =>
        enqueue(createTransactionTurn(connection, maxTransactionMs, { started, refused })),
      ),
    between: (work) =>
      new Promise((resolve, reject) => {
        pauses.push(() => work().then(resolve, reject))
        wake()
      }),
    waiting: () => waiting.length,
    drained: () => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}

/** Removes and returns the turns that have waited for too long. They are in the order in which they were queued. */
function takeLate(waiting: Turn[], maxWaitMs: number): Turn[] {
  const earliest = performance.now() - maxWaitMs
  const inTime = waiting.findIndex(({ queuedAt }) => queuedAt > earliest)
  return waiting.splice(0, inTime === -1 ? waiting.length : inTime)
}

function createStatementTurn<T>(
  run: () => T,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Omit<Turn, 'queuedAt'> {
  let result: T
  return {
    run() {
      result = run()
    },
    committed: () => resolve(result),
    failed: reject,
  }
}

/** One statement, or one whole transaction, that waits to be part of a batch. */
export interface Turn {
  /** When it was queued, by the monotonic clock. */
  queuedAt: number
  run(isFirst: boolean): void | Promise<void>
  committed(): void
  failed(error: unknown): void
}

/** Called when another process holds the write lock, so that these turns have not run. */
type Locked = (turns: Turn[], error: unknown) => Promise<void>

/** Runs the turns one after the other and commits them together. Never rejects: a failure goes to the turns it concerns. */
async function commitBatch(
  connection: DatabaseSync,
  translate: (error: unknown) => unknown,
  turns: Turn[],
  locked: Locked,
): Promise<void> {
  const done: Turn[] = []
  try {
    for (const [index, turn] of turns.entries()) {
      // At the start, and after a turn that had the SQLite transaction for itself and undid it: nothing was written yet.
      const busy = connection.isTransaction ? undefined : begin(connection)
      if (busy !== undefined) {
        await locked(turns.slice(index), busy)
        break
      }
      try {
        const running = turn.run(done.length === 0)
        if (running) await running
        done.push(turn)
      } catch (error) {
        turn.failed(translate(error))
        // A full disk or an I/O error makes SQLite undo the whole transaction, not the statement alone.
        if (!connection.isTransaction && done.length > 0) throw error
      }
    }
    if (connection.isTransaction) connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    // Calling `failed` twice does no harm: a promise is settled once.
    for (const turn of turns) turn.failed(translate(error))
    return
  }
  for (const turn of done) turn.committed()
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
  commit(): Promise<void>
  rollback(): void
}

/**
 * A transaction runs inside a savepoint, so that it can be undone alone. The first one of its batch needs none, since there
 * is nothing before it to keep: a savepoint makes SQLite copy every page before it is written to.
 */
const SAVEPOINT = { begin: 'SAVEPOINT turn', keep: 'RELEASE turn', undo: 'ROLLBACK TO turn; RELEASE turn' }
const WHOLE_BATCH = { begin: '', keep: '', undo: 'ROLLBACK' }

const tooLong = () => new StorageFailure('unavailable', 'A transaction stayed open for too long.')

interface Started {
  started(transaction: Transaction): void
  refused(error: unknown): void
}

/** A transaction as a turn: `started` is called when it has the connection, `refused` when it fails before that. */
function createTransactionTurn(
  connection: DatabaseSync,
  maxTransactionMs: number,
  { started, refused }: Started,
): Omit<Turn, 'queuedAt'> {
  const durable = Promise.withResolvers<void>()
  // After a rollback nothing waits for the commit, and the rejection would be unhandled.
  durable.promise.catch(() => {})

  return {
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
          finish(keep)
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
