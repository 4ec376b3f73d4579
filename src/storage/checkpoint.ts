import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Writer } from './group-commit.ts'

/** Moves committed pages from SQLite's log into the database file. */
export interface Checkpointer {
  /** Called before the connections close, so that the last one can checkpoint without a conflict. */
  close(): Promise<void>
}

const LOOK_MS = 500
/** Pages of 4 KB. */
const WORTH_MOVING = 4000
/** Few enough that writes can wait until they are moved. */
const FEW = 50
const IDLE_MS = 60_000

/** Where SQLite checkpoints by itself, if the thread should have failed. */
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
  let worker: Worker | undefined
  let moving = false
  let closed = false
  let usedAt = 0

  const start = (): Worker => {
    const started = new Worker(new URL('checkpoint-thread.ts', import.meta.url), { workerData: file, execArgv: [] })
    started.unref()
    const gone = () => {
      if (worker === started) worker = undefined
    }
    return started.on('error', gone).on('exit', gone)
  }

  /** Resolves when at most `until` pages are left, or the thread has ended: then the next look starts another. */
  const move = async (until: number): Promise<void> => {
    if (closed) return
    const thread = (worker ??= start())
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    thread.postMessage(until)
    const over = new AbortController()
    const { signal } = over
    const ended = [once(thread, 'message', { signal }), once(thread, 'exit', { signal })]
    await Promise.race(ended).catch(() => {})
    over.abort()
    await Promise.allSettled(ended)
  }

  /** 0 when SQLite can't say at the moment: the next look tries again. */
  const unmoved = (): number => {
    try {
      const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
      return log - checkpointed
    } catch {
      return 0
    }
  }

  const look = () => {
    // Within a transaction SQLite can't say.
    if (moving || connection.isTransaction) return
    if (unmoved() < WORTH_MOVING) {
      if (worker && performance.now() - usedAt > IDLE_MS) void worker.terminate()
      return
    }
    moving = true
    usedAt = performance.now()
    void move(FEW).then(() =>
      writer.between(async () => {
        await move(0)
        moving = false
      }),
    )
  }
  const timer = setInterval(look, LOOK_MS).unref()

  return {
    async close() {
      closed = true
      clearInterval(timer)
      await worker?.terminate()
    },
  }
}
