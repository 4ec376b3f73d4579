import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Writer } from './group-commit.ts'

/** Keeps SQLite's log short. */
export interface Checkpointer {
  /** Before the connections close, so that the last of them finds nobody in its way. */
  close(): Promise<void>
}

const LOOK_MS = 500
/** Pages of 4 KB. */
const WORTH_MOVING = 4000
/** Nobody minds waiting until so many are moved. */
const FEW = 50
const IDLE_MS = 60_000

/** Should the other thread be lost, SQLite does it by itself, as late as this. */
export const LAST_RESORT_PAGES = 50_000

/**
 * What is committed stands in the log until it is moved into the database itself. Moving ten thousand pages takes tenths
 * of a second, and SQLite would do it in the middle of somebody's commit, with everybody waiting. So another thread
 * moves them while this one goes on. The log begins anew only when all of them have been moved and nobody has written
 * since: for the last few, writes wait, and nothing else.
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

  /** Resolves when no more than so many are left, or the thread is lost: then the next look starts another. */
  const move = async (until: number): Promise<void> => {
    if (closed) return
    const thread = (worker ??= start())
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    thread.postMessage(until)
    const over = new AbortController()
    const { signal } = over
    const heard = [once(thread, 'message', { signal }), once(thread, 'exit', { signal })]
    await Promise.race(heard).catch(() => {})
    over.abort()
    await Promise.allSettled(heard)
  }

  /** None where it can't be told just now: the next look asks again. */
  const unmoved = (): number => {
    try {
      const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
      return log - checkpointed
    } catch {
      return 0
    }
  }

  const look = () => {
    // In the middle of a transaction SQLite does not tell.
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
