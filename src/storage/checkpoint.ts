import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/** Keeps SQLite's log short. */
export interface Checkpointer {
  /** Before the connections close, so that the last of them finds nobody in its way. */
  close(): Promise<void>
}

const LOOK_MS = 500
/** Pages of 4 KB. */
const WORTH_MOVING = 4000
/** What this thread moves itself without anybody noticing. */
const FEW = 500
const IDLE_MS = 60_000

/** Should the other thread be lost, SQLite does it by itself, as late as this. */
export const LAST_RESORT_PAGES = 50_000

/**
 * What is committed stands in the log until it is moved into the database itself. Moving ten thousand pages takes tenths
 * of a second, and SQLite would do it in the middle of somebody's commit, with everybody waiting. So another thread
 * moves the bulk of them while this one goes on. The few that come meanwhile are moved here, between two commits: only
 * when all have been moved does the log begin anew, and while somebody writes without a pause, only the writer can
 * find that moment.
 */
export function createCheckpointer(file: string, connection: DatabaseSync): Checkpointer {
  const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  const unmoved = (): number => {
    const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
  let worker: Worker | undefined
  let moving = false
  let usedAt = 0

  const start = (): Worker => {
    const started = new Worker(new URL('checkpoint-thread.ts', import.meta.url), {
      workerData: { file, few: FEW },
      execArgv: [],
    })
    started.unref()
    const gone = () => {
      if (worker === started) worker = undefined
      moving = false
    }
    started.on('error', gone).on('exit', gone).on('message', moved)
    return started
  }
  const moved = () => {
    // A transaction is open: the next look finds the right moment.
    if (!connection.isTransaction && unmoved() <= FEW) connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    moving = false
  }
  const look = () => {
    if (moving || connection.isTransaction) return
    if (unmoved() < WORTH_MOVING) {
      if (worker && performance.now() - usedAt > IDLE_MS) void worker.terminate()
      return
    }
    moving = true
    usedAt = performance.now()
    worker ??= start()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    worker.postMessage('move')
  }
  const timer = setInterval(look, LOOK_MS).unref()

  return {
    async close() {
      clearInterval(timer)
      await worker?.terminate()
    },
  }
}
