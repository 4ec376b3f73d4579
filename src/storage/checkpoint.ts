import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Writer } from './group-commit.ts'

/** Moves committed pages from SQLite's log into the database file. */
export interface Checkpointer {
  /** Called before the connections close, so that the last one can checkpoint without a conflict. */
  close(): Promise<void>
}

/** How often the size of the log is checked. */
const CHECK_MS = 500
/** Pages of 4 KB. With fewer in the log a checkpoint is not worth its cost. */
const MIN_PAGES = 4000
/** Few enough that writes can wait until they are moved. */
const FEW_PAGES = 50
const IDLE_MS = 60_000

/** With this many pages in the log SQLite checkpoints by itself, in case that the thread has failed. */
export const LAST_RESORT_PAGES = 50_000

/**
 * Committed pages are in the log until they are moved into the database file. Moving ten thousand pages takes tenths of a
 * second, and SQLite would do it within a commit, while all writes wait. So another thread moves them while this one goes
 * on. The log starts again from its beginning only when all pages have been moved and nothing was written since: for the
 * last few, writes wait.
 */
export function createCheckpointer(
  file: string,
  connection: DatabaseSync,
  writer: Pick<Writer, 'between'>,
): Checkpointer {
  const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  const mover = createPageMover(file)
  let isMoving = false
  let movedAt = 0

  /** 0 when SQLite can't say at the moment: the next check tries again. */
  const pagesInLog = (): number => {
    try {
      const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
      return log - checkpointed
    } catch {
      return 0
    }
  }

  const check = () => {
    // Within a transaction SQLite can't say.
    if (isMoving || connection.isTransaction) return
    if (pagesInLog() < MIN_PAGES) {
      if (performance.now() - movedAt > IDLE_MS) mover.stopThread()
      return
    }
    isMoving = true
    movedAt = performance.now()
    void mover.move(FEW_PAGES).then(() =>
      writer.between(async () => {
        await mover.move(0)
        isMoving = false
      }),
    )
  }
  const timer = setInterval(check, CHECK_MS).unref()

  return {
    async close() {
      clearInterval(timer)
      await mover.close()
    },
  }
}

/** The thread that moves pages. It is started when it is needed. */
function createPageMover(file: string) {
  let worker: Worker | undefined
  let isClosed = false

  const start = (): Worker => {
    const started = new Worker(new URL('checkpoint-thread.ts', import.meta.url), { workerData: file, execArgv: [] })
    started.unref()
    const forget = () => {
      if (worker === started) worker = undefined
    }
    return started.on('error', forget).on('exit', forget)
  }

  return {
    /** Resolves when at most `until` pages are left, or the thread has ended: then the next call starts another. */
    async move(until: number): Promise<void> {
      if (isClosed) return
      const thread = (worker ??= start())
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
      thread.postMessage(until)
      const over = new AbortController()
      const { signal } = over
      const ended = [once(thread, 'message', { signal }), once(thread, 'exit', { signal })]
      await Promise.race(ended).catch(() => {})
      over.abort()
      await Promise.allSettled(ended)
    },
    stopThread: () => void worker?.terminate(),
    async close(): Promise<void> {
      isClosed = true
      await worker?.terminate()
    },
  }
}
