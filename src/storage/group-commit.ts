import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFailure } from './failure.ts'
import { isBusy } from './sqlite-errors.ts'

/**
 * SQLite's single writer. Writes that arrive together are committed together, so that a durable commit (one sync of the
 * disk) is paid once a batch and not once a request. Nobody is answered before the commit that holds their write.
 *
 * A turn is one statement or one whole transaction. A failing turn is undone alone: SQLite undoes a failing statement
 * by itself, and a transaction runs inside a savepoint, unless it is the first of its batch and there is nothing yet
 * that must be kept: a savepoint makes SQLite copy every page before it is written to.
 */
export interface Writer {
  /** Runs one statement and resolves when it is durable. */
  write<T>(run: () => T): Promise<T>
  /** Resolves when this transaction has the connection to itself. */
  begin(): Promise<Transaction>
  /** Runs once the batch in progress is durable, or at once if there is none. */
  afterCommit(task: () => void): void
  /** Runs between two batches. Whoever writes meanwhile waits for it; it must not fail. */
  between(work: () => Promise<void>): void
  /** How many turns wait for a batch. */
  waiting(): number
  /** Resolves when everything asked so far is durable. */
  drained(): Promise<void>
}

export interface Transaction {
  /** False once it is over, also when it was ended for taking too long. */
  readonly isOpen: boolean
  commit(): Promise<void>
  rollback(): void
}

interface Turn {
  /** When it was asked for, by the monotonic clock. */
  askedAt: number
  run(isFirst: boolean): void | Promise<void>
  committed(): void
  failed(error: unknown): void
}

/** Bounds how long one batch keeps the event loop. */
const MAX_TURNS = 256

/**
 * Everybody's writes wait for a transaction that is open. One that waits for anything but the database is a mistake, and
 * one that waits for a write outside itself would wait for ever: it is undone and told so, and the others go on.
 */
const MAX_TRANSACTION_MS = 5000

/**
 * Another process may hold the write lock: a database shell, a tool that a person left open. It is tried for again and again
 * without keeping this thread, so that reads go on. Whoever has waited for so long is told that the database is away.
 */
const MAX_LOCK_WAIT_MS = 3000
const LOCK_RETRY_MS = 10

const tooLong = () => new StorageFailure('unavailable', 'A transaction stayed open for too long.')

const SAVEPOINT = { begin: 'SAVEPOINT turn', keep: 'RELEASE turn', undo: 'ROLLBACK TO turn; RELEASE turn' }
const WHOLE_BATCH = { begin: '', keep: '', undo: 'ROLLBACK' }

interface Bounds {
  maxTransactionMs?: number
  maxLockWaitMs?: number
}

export function createWriter(
  connection: DatabaseSync,
  translate: (error: unknown) => unknown,
  { maxTransactionMs = MAX_TRANSACTION_MS, maxLockWaitMs = MAX_LOCK_WAIT_MS }: Bounds = {},
): Writer {
  const waiting: Turn[] = []
  const idle: (() => void)[] = []
  let tasks: (() => void)[] = []
  let pause: (() => Promise<void>) | undefined
  let busy = false

  const enqueue = (turn: Omit<Turn, 'askedAt'>) => {
    waiting.push({ ...turn, askedAt: performance.now() })
    if (busy) return
    busy = true
    setImmediate(nextBatch)
  }

  const nextBatch = () => {
    const work = pause
    pause = undefined
    void (work ? work().then(runTasks) : commitTogether(waiting.splice(0, MAX_TURNS))).then(() => {
      if (pause || waiting.length > 0) return setImmediate(nextBatch)
      busy = false
      return idle.splice(0).forEach((resolve) => resolve())
    })
  }

  /** Never rejects: whatever goes wrong is told to the turns it happened to. */
  async function commitTogether(turns: Turn[]): Promise<void> {
    const done: Turn[] = []
    try {
      for (const [index, turn] of turns.entries()) {
        // At the beginning, and after a turn that had the transaction for itself and undid it: so far nothing is to be kept.
        const locked = connection.isTransaction ? undefined : begin()
        if (locked !== undefined) {
          await waitForLock(turns.slice(index), locked)
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
      tasks = []
      // Telling a turn twice does no harm: its promise is settled once.
      for (const turn of turns) turn.failed(translate(error))
      return
    }
    for (const turn of done) turn.committed()
    runTasks()
  }

  /** Answers the error where another process holds the write lock. */
  const begin = (): unknown => {
    try {
      connection.exec('BEGIN IMMEDIATE')
      return undefined
    } catch (error) {
      if (isBusy(error)) return error
      throw error
    }
  }

  /** Puts these turns back in front of the others. Those that have waited for too long are told so. */
  async function waitForLock(turns: Turn[], error: unknown): Promise<void> {
    waiting.unshift(...turns)
    const earliest = performance.now() - maxLockWaitMs
    const inTime = waiting.findIndex(({ askedAt }) => askedAt > earliest)
    for (const late of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) late.failed(translate(error))
    if (waiting.length > 0) await sleep(LOCK_RETRY_MS)
  }

  const runTasks = () => {
    const due = tasks
    tasks = []
    for (const task of due) task()
  }

  return {
    write: <T>(run: () => T) =>
      new Promise<T>((resolve, reject) => {
        let result: T
        enqueue({
          run: () => {
            result = run()
          },
          committed: () => resolve(result),
          failed: reject,
        })
      }),

    begin: () =>
      new Promise<Transaction>((started, refused) => {
        const durable = Promise.withResolvers<void>()
        // A transaction that was rolled back has nobody waiting for its commit.
        durable.promise.catch(() => {})
        enqueue({
          run: (isFirst) => {
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
          failed: (error) => {
            refused(error)
            durable.reject(error)
          },
        })
      }),

    afterCommit(task) {
      if (busy) tasks.push(task)
      else task()
    },

    between(work) {
      pause = work
      if (busy) return
      busy = true
      setImmediate(nextBatch)
    },

    waiting: () => waiting.length,

    drained: () => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}
