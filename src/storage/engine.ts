import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import type { Signals } from './signals.ts'

interface PoolLoad {
  open: number
  idle: number
  waiting: number
  /** Those whose commit was not answered in time, and that the server has not closed. */
  unanswered: number
}

/** A database that is open, and what goes with it. */
export interface Engine {
  db: Database
  /** For migrations, which change the tables themselves. */
  kysely: Kysely<Schema>
  signals: Signals
  /** How busy it is just now. */
  load(): { writesWaiting?: number; logBytes?: number; isShortOfSpace?: boolean; pool?: PoolLoad }
  /** On SQLite: from now on writes are refused while there is too little space on the disk. Called by the service when it has opened. */
  keepReserve?(): void
  /**
   * Milliseconds by which the clock of the database is ahead of this machine's, at least. Undefined where both are one, and
   * before it was first read.
   */
  clockDifference(): number | undefined
  close(): Promise<void>
}
