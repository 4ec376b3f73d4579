import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { commitBatch, type Turn } from './commit-batch.ts'
import { createTransactionTurn, type Transaction } from './transaction-turn.ts'

/**
 * SQLite's single writer. Writes that arrive together are committed together, so that a durable commit (one sync of the
 * disk) is paid once a batch and not once a request. No write is acknowledged before the commit that holds it.
 *
 * A turn is one statement or one whole transaction. A failing turn is undone alone: SQLite undoes a failing statement
 * by itself, and a transaction runs inside a savepoint (`transaction-turn.ts`).
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
