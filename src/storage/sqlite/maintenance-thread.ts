import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadSettings, ThreadTask } from './maintenance.ts'

const { file, maxLockWaitMs } = workerData as ThreadSettings
const connection = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: maxLockWaitMs })
connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
const readLog = () => state.get() as { log: number; checkpointed: number }

/** Each pass leaves less, since moving is faster than writing. */
const MAX_PASSES = 5

/** Returns whether a reader still uses older pages, so that none could be moved. */
function movePages(until: number): boolean {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = readLog()
    if (before.log - before.checkpointed <= until) return false
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (readLog().checkpointed === before.checkpointed) return true
  }
  return false
}

/** Writes wait for it, so it does not wait for a reader: the next check tries again. */
function shortenLog(): void {
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${maxLockWaitMs}`)
  }
}

function write(sql: string, parameters: readonly unknown[]): number {
  const { changes } = connection.prepare(sql).run(...(parameters as SQLInputValue[]))
  return Number(changes)
}

function perform(task: ThreadTask): ThreadAnswer {
  try {
    if ('sql' in task) return { changes: write(task.sql, task.parameters) }
    if ('pagesLeft' in task) return { changes: Number(movePages(task.pagesLeft)) }
    shortenLog()
    return { changes: 0 }
  } catch (error) {
    // The code is a property that would not arrive with the error.
    const { message, errcode } = error as Error & { errcode?: number }
    return { message, errcode }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
parentPort?.on('message', (task: ThreadTask) => parentPort?.postMessage(perform(task)))
