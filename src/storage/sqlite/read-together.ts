import type { DatabaseSync } from 'node:sqlite'
import { collectPerTick } from '../../batches.ts'

/** Runs a read and resolves with what it found. */
export type ReadTogether = <T>(read: () => T) => Promise<T>

interface Pending {
  run(): void
  failed(error: unknown): void
}

interface Errors {
  translate(error: unknown): unknown
  isBusy(error: unknown): boolean
}

/** While SQLite recovers or resets its log, a read may fail as busy and is tried again. */
const RETRY_MS = 10
const MAX_WAIT_MS = 3000

/**
 * Reads of one tick of the event loop run together at its end, in one read transaction: SQLite takes and releases its lock
 * once for all of them. A read sees everything that was durable when it was requested.
 */
export function createReadTogether(connection: DatabaseSync, { translate, isBusy }: Errors): ReadTogether {
  const add = collectPerTick<Pending>((together) => {
    try {
      connection.exec('BEGIN')
      for (const { run } of together) run()
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK')
      // A read that has resolved stays resolved: a promise is settled once.
      for (const { failed } of together) failed(translate(error))
    }
  })
  return <T>(read: () => T) =>
    new Promise<T>((resolve, reject) => {
      let giveUpAt: number | undefined
      const pending: Pending = {
        run() {
          try {
            resolve(read())
          } catch (error) {
            giveUpAt ??= performance.now() + MAX_WAIT_MS
            if (isBusy(error) && performance.now() < giveUpAt) setTimeout(add, RETRY_MS, pending)
            else reject(translate(error))
          }
        },
        failed: reject,
      }
      add(pending)
    })
}
