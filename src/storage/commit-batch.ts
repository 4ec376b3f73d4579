import type { DatabaseSync } from 'node:sqlite'
import { isBusy } from './sqlite-errors.ts'

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
export async function commitBatch(
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
