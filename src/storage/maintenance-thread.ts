import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadSettings, ThreadTask } from './maintenance.ts'

const { file, maxLockWaitMs } = workerData as ThreadSettings
const connection = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: maxLockWaitMs })
connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
const pagesInLog = (): number => {
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

/** Each pass leaves less, since moving is faster than writing, unless a reader still uses old pages. */
const MAX_PASSES = 5

function movePages(until: number): void {
  for (let pass = 0; pass < MAX_PASSES && pagesInLog() > until; pass++) {
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }
}

function write(sql: string, parameters: readonly unknown[]): number {
  const { changes } = connection.prepare(sql).run(...(parameters as SQLInputValue[]))
  return Number(changes)
}

function perform(task: ThreadTask): ThreadAnswer {
  try {
    if ('sql' in task) return { changes: write(task.sql, task.parameters) }
    movePages(task.pagesLeft)
    return { changes: 0 }
  } catch (error) {
    // The code is a property that would not arrive with the error.
    const { message, errcode } = error as Error & { errcode?: number }
    return { message, errcode }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
parentPort?.on('message', (task: ThreadTask) => parentPort?.postMessage(perform(task)))
