import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createWorkQueue } from '../../work-queue.ts'
import { StorageFailure } from '../failure.ts'
import { translateSqlite } from './connection.ts'

/**
 * A thread with a connection of its own, for work on a SQLite file that takes long or waits for the disk: the event loop
 * goes on. It is started when it is needed, and stopped when it was idle.
 */
export interface MaintenanceThread {
  /** Runs the work when all work before it has ended. Whoever uses the thread does it in here. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Moves pages from the log into the database file, until at most this many are left. Returns whether a reader prevents it. */
  movePages(pagesLeft: number): Promise<boolean>
  /** Cuts off the file of the log, when all pages were moved and nobody reads them. */
  shortenLog(): Promise<void>
  /** Runs a statement as a transaction of its own. Returns how many rows it changed, when that is durable. */
  write(sql: string, parameters: readonly unknown[]): Promise<number>
  /** Called before the other connections close, so that the last one can checkpoint without a conflict. */
  close(): Promise<void>
}

export interface ThreadSettings {
  file: string
  /** How long a statement waits while another process holds the write lock. */
  maxLockWaitMs: number
}

export type ThreadTask = { pagesLeft: number } | { shorten: true } | { sql: string; parameters: readonly unknown[] }

export type ThreadAnswer = { changes: number } | { message: string; errcode: number | undefined }

const IDLE_MS = 60_000

/** Background work that waits for the thread. It is done again later, and a log of gigabytes is moved in this time. */
const MAX_WAITING = 1000
const MAX_WAIT_MS = 120_000

export function createMaintenanceThread(settings: ThreadSettings): MaintenanceThread {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  const uses = createWorkQueue({
    atOnce: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: (reason) => new StorageFailure('unavailable', new Error(`Work of the thread waits: ${reason}.`)),
  })

  const start = (): Worker => {
    const started = new Worker(new URL('maintenance-thread.ts', import.meta.url), {
      workerData: settings,
      execArgv: [],
    })
    const forget = () => {
      if (worker === started) worker = undefined
    }
    return started.on('error', forget).on('exit', forget)
  }

  const stop = (): Promise<number> | undefined => {
    const stopped = worker?.terminate()
    // A task that comes before it has ended starts another.
    worker = undefined
    return stopped
  }

  const perform = async (task: ThreadTask): Promise<number> => {
    if (isClosed) throw new StorageFailure('unavailable', 'The database is closed.')
    clearTimeout(idle)
    const thread = (worker ??= start())
    const over = new AbortController()
    const { signal } = over
    thread.ref()
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
      thread.postMessage(task)
      const ended = once(thread, 'exit', { signal }).then(() => {
        throw new StorageFailure('unavailable', 'The thread has ended.')
      })
      const [answer] = (await Promise.race([once(thread, 'message', { signal }), ended])) as [ThreadAnswer]
      if ('changes' in answer) return answer.changes
      throw translateSqlite(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
    } finally {
      over.abort()
      thread.unref()
      idle = setTimeout(() => void stop(), IDLE_MS).unref()
    }
  }

  return {
    exclusively: (work) => uses.run('', work),
    movePages: async (pagesLeft) => (await perform({ pagesLeft })) === 1,
    async shortenLog() {
      await perform({ shorten: true })
    },
    write: (sql, parameters) => perform({ sql, parameters }),
    async close() {
      isClosed = true
      clearTimeout(idle)
      await stop()
    },
  }
}
