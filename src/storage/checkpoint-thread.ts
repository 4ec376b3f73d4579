import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// A thread with a connection of its own, which moves pages from the log into the database until few enough are left.
const connection = new DatabaseSync(workerData as string, { timeout: 0 })
connection.exec('PRAGMA wal_autocheckpoint = 0')
const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
const pagesInLog = (): number => {
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

/** Each pass leaves less, since moving is faster than writing, unless a reader still uses old pages. */
const MAX_PASSES = 5

parentPort?.on('message', (until: number) => {
  try {
    for (let pass = 0; pass < MAX_PASSES && pagesInLog() > until; pass++) {
      connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    }
  } finally {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    parentPort?.postMessage('moved')
  }
})
