import type { DatabaseSync } from 'node:sqlite'
import type { Writer } from './group-commit.ts'
import type { MaintenanceThread } from './maintenance.ts'

/** How often the size of the log is checked. */
const CHECK_MS = 500
/** Pages of 4 KB. With fewer in the log a checkpoint is not worth its cost. */
const MIN_PAGES = 4000
/** Few enough that writes can wait until they are moved. */
const FEW_PAGES = 50

/** With this many pages in the log SQLite checkpoints by itself, in case that the thread has failed. */
export const LAST_RESORT_PAGES = 50_000

/**
 * Committed pages are in the log until they are moved into the database file. Moving ten thousand pages takes tenths of a
 * second, and SQLite would do it within a commit, while all writes wait. So another thread moves them while this one goes
 * on. The log starts again from its beginning only when all pages have been moved and nothing was written since: for the
 * last few, writes wait. Returns a function that ends this.
 */
export function keepLogShort(
  connection: DatabaseSync,
  writer: Pick<Writer, 'between'>,
  thread: Pick<MaintenanceThread, 'inTurn' | 'movePages'>,
): () => void {
  const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  let isMoving = false

  /** 0 when SQLite can't say at the moment: the next check tries again. */
  const pagesInLog = (): number => {
    try {
      const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
      return log - checkpointed
    } catch {
      return 0
    }
  }

  const moveAll = async () => {
    await thread.movePages(FEW_PAGES)
    await writer.between(() => thread.movePages(0))
  }

  const check = () => {
    // Within a transaction SQLite can't say.
    if (isMoving || connection.isTransaction || pagesInLog() < MIN_PAGES) return
    isMoving = true
    void thread
      .inTurn(moveAll)
      // The next check tries again.
      .catch(() => {})
      .finally(() => (isMoving = false))
  }
  const timer = setInterval(check, CHECK_MS).unref()
  return () => clearInterval(timer)
}
