import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'
import type { Signaller, Signals } from './signals.ts'
import type { TransactionQueue } from './transaction-queue.ts'

/** A query that was compiled once. Values that differ between runs are parameters. */
export interface CompiledStatement extends CompiledQuery {
  name: string
}

/** How an engine runs compiled statements, without Kysely's query building and pooling. */
export interface StatementRunner {
  readonly dialect: 'sqlite' | 'postgres'
  run(statement: CompiledStatement, parameters: unknown[]): Promise<unknown[]>
}

/** Reads. Outside of a transaction it sees only what is durable, and can't change anything. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'selectNoFrom' | 'with' | 'getExecutor'> & StatementRunner

declare const transaction: unique symbol

/**
 * A transaction: everything done with it happens, or nothing. Only `Database.transaction` makes one, so whatever must
 * happen together with something else takes this type.
 */
export type Trx = Reader &
  Signaller &
  Pick<Kysely<Schema>, 'insertInto' | 'updateTable' | 'deleteFrom'> & {
    readonly [transaction]: true
    /**
     * Runs a statement whose rows nobody needs before the next one, or before the commit. When it fails, that fails. On
     * PostgreSQL it is sent together with that, and not alone.
     */
    runNext(statement: Pick<CompiledStatement, 'name' | 'sql'>, parameters: unknown[]): void
    /** Runs the task when the transaction has committed, and never when it is undone. The task must not fail. */
    afterCommit(task: () => void): void
  }

/** Where a hot statement writes: in a transaction, or alone, as a transaction of its own. */
export type WriteTarget = Trx | Database

/** The database: one way to read, and one to change. */
export interface Database extends StatementRunner {
  read: Reader
  /**
   * Reads that no request waits for. On PostgreSQL a statement may take minutes here, on a connection of its own. On SQLite it
   * is the same as `read`, and a statement that takes long makes every request wait.
   */
  background: Reader
  /**
   * Commits when the work is done, and undoes it when it throws. After a deadlock, and after it has waited for a lock for a moment, the
   * work runs again, so it must do nothing but use the database.
   */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** Where transactions that lock the row of one person wait for each other. The key is the id of that person. */
  personQueue: TransactionQueue
  /**
   * Runs one statement as a transaction of its own, for work that no request waits for, and returns how many rows it changed.
   * On SQLite it runs on another thread, so that requests go on while it waits for the disk.
   */
  writeInBackground(query: RawBuilder<unknown>): Promise<number>
}

/** The tasks of one transaction, or of one try of it. */
export function createCommitTasks() {
  let tasks: (() => void)[] | undefined
  return {
    afterCommit(task: () => void): void {
      tasks ??= []
      tasks.push(task)
    },
    run(): void {
      for (const task of tasks ?? []) task()
    },
  }
}

class Undo extends Error {}

/** Runs some work in a transaction, undoes it, and returns what it returned. */
export async function dryRun<T>(db: Database, work: (trx: Trx) => Promise<T>): Promise<T> {
  let answer: { value: T } | undefined
  try {
    await db.transaction(async (trx) => {
      answer = { value: await work(trx) }
      throw new Undo()
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  if (!answer) throw new Error('The transaction was undone before the work had ended.')
  return answer.value
}

/** The same database, in which everything is undone: to find out what would be refused. */
export const dryRunning = (db: Database): Database => ({
  ...db,
  transaction: (work) => dryRun(db, work),
  writeInBackground: (query) => dryRun(db, (trx) => changedRows(query, trx)),
})

/** Runs a statement in a transaction, and returns how many rows it changed. */
export async function changedRows(query: RawBuilder<unknown>, trx: Trx): Promise<number> {
  const { numAffectedRows } = await query.execute(trx)
  return Number(numAffectedRows)
}

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

/** Resolves when the database answers. */
export async function ping(db: Reader): Promise<void> {
  await sql`select 1`.execute(db)
}

/**
 * Waits for work on the database, but not for longer than `timeoutMs`. Resolves with undefined when that time is over; the
 * work goes on, and an error that comes later is ignored.
 */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), timeoutMs)
  // Without this, an error after the timeout would be an unhandled rejection.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
