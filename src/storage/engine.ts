import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import type { Signals } from './signals.ts'

/** A database that is open, and what goes with it. */
export interface Engine {
  db: Database
  /** For migrations, which change the tables themselves. */
  kysely: Kysely<Schema>
  signals: Signals
  /** How busy it is just now. */
  load(): { writesWaiting?: number; pool?: { open: number; idle: number; waiting: number } }
  close(): Promise<void>
}
