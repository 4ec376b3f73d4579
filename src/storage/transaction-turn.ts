import type { DatabaseSync } from 'node:sqlite'
import type { Turn } from './commit-batch.ts'
import { StorageFailure } from './failure.ts'

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
export function createTransactionTurn(
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
