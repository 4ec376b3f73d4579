import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementResultingChanges } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { StorageFailure } from '../failure.ts'

/** How many statements are kept prepared. The service has fewer, but lists of varying length make new ones. */
const MAX_STATEMENTS = 1000

/** With this many pages in the log SQLite checkpoints by itself, in case that the maintenance thread has failed. */
const LAST_RESORT_PAGES = 50_000
/** The file of the log keeps its size when it begins anew, so that it need not grow again. A longer one is shortened. */
export const MAX_IDLE_BYTES = 64 << 20

/** Only while the file is opened, when no request is served yet. */
const OPEN_TIMEOUT_MS = 5000

/** A connection to the file, with the statements that were prepared on it. */
export interface SqliteConnection {
  connection: DatabaseSync
  execute(sql: string, parameters: readonly unknown[]): QueryResult<unknown>
  /** The rows only: counting changed rows takes as long as a small statement. */
  rows(sql: string, parameters: readonly unknown[]): object[]
}

/**
 * The log and the index that SQLite puts beside the file get the file's own mode.
 *
 * Only before the first connection: closing any descriptor of a file cancels all POSIX locks that this process has on it
 * (fcntl(2)). Without them another program that opens, reads and closes the file would see no other user of it and delete
 * the log, with every commit that follows. So only SQLite, which avoids this, opens the database file.
 */
export function createPrivately(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

export function connect(file: string, readOnly: boolean): SqliteConnection {
  const connection = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: OPEN_TIMEOUT_MS })
  if (!readOnly) {
    // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a killed process.
    connection.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LAST_RESORT_PAGES};
       PRAGMA journal_size_limit = ${MAX_IDLE_BYTES}`,
    )
  }
  // SQLite would block this thread while it waits for a lock of another process. We retry ourselves instead.
  connection.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 0')

  const statements = new Map<string, Statement>()
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known) return known
    const statement = prepare(connection, sql)
    if (statements.size >= MAX_STATEMENTS) statements.delete(statements.keys().next().value ?? '')
    statements.set(sql, statement)
    return statement
  }

  return {
    connection,
    execute(sql, parameters) {
      const { returnsRows, rows, run } = prepared(sql)
      if (returnsRows) return { rows: rows(parameters) }
      const { changes, lastInsertRowid } = run(parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    rows: (sql, parameters) => prepared(sql).rows(parameters),
  }
}

interface Statement {
  returnsRows: boolean
  rows(parameters: readonly unknown[]): object[]
  run(parameters: readonly unknown[]): StatementResultingChanges
}

/**
 * Rows are read as arrays and turned into objects of one hidden class here. Each object that the binding makes has a hidden
 * class of its own, and reading its properties takes several times as long.
 */
function prepare(connection: DatabaseSync, sql: string): Statement {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  const empty: Record<string, unknown> = {}
  for (const name of names) empty[name] = null
  const toRow = (values: unknown[]): object => {
    const row = { ...empty }
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at]
    return row
  }
  return {
    returnsRows: names.length > 0,
    rows: (parameters) => (statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][]).map(toRow),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
  }
}

const PRIMARY_CODE = 0xff
const BUSY = new Set([5, 6]) // another process, or another connection of ours, holds the lock
const CANTOPEN = 14
const CONSTRAINT = 19
const UNWRITABLE = new Set([8, 10, 13]) // read-only, I/O error, full
const FOREIGN_KEY = 787

/** SQLite's extended result code, where the error is one of SQLite. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined

/** True when another connection holds the lock. Trying again later may work. */
export const isBusy = (error: unknown): boolean => BUSY.has((codeOf(error) ?? 0) & PRIMARY_CODE)

/** Turns SQLite's errors into those that both engines share. */
export function translateSqlite(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  const primary = code & PRIMARY_CODE
  if (BUSY.has(primary) || primary === CANTOPEN) return new StorageFailure('unavailable', error)
  if (UNWRITABLE.has(primary)) return new StorageFailure('unwritable', error)
  if (primary !== CONSTRAINT) return error
  if (code === FOREIGN_KEY) return new StorageFailure('missing_reference', error)
  const target = /^UNIQUE constraint failed: ([^,]+)/.exec((error as Error).message)?.[1]
  return target === undefined ? error : new StorageFailure('duplicate', error, target)
}
