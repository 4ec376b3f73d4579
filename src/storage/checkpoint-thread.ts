import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// A thread with a connection of its own, which moves pages from the log into the database when it is told to.
const connection = new DatabaseSync(workerData as string, { timeout: 0 })
connection.exec('PRAGMA wal_autocheckpoint = 0')

parentPort?.on('message', () => {
  // The second time moves what has come while the first took place, which is little.
  try {
    for (let times = 0; times < 2; times++) connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    parentPort?.postMessage('moved')
  }
})
