import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementResultingChanges } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  RawNode,
  type SelectModifierNode,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createCheckpointer, LAST_RESORT_PAGES } from './checkpoint.ts'
import { StorageFailure } from './failure.ts'
import { createWriter, type Transaction, type Writer } from './group-commit.ts'
import type { Engine } from './open.ts'
import { createReader, type Reader } from './read-together.ts'
import type { Schema } from './schema.ts'
import { createLocalSignals } from './signals.ts'
import { isBusy, translateSqlite } from './sqlite-errors.ts'
import { openDirectWays } from './statement.ts'

/** Distinct statements kept prepared. The service has fewer; lists of varying length must not grow it without bound. */
const MAX_STATEMENTS = 1000

/** Only while the file is opened, when nobody is served yet. */
const OPEN_TIMEOUT_MS = 5000

/** One file, two connections: writes are committed in groups on one, and reads, which see only what is durable, run together on the other. */
export function openSqlite(file: string): Engine {
  createPrivately(file)
  const writing = connect(file, false)
  const reading = connect(file, true)
  const writer = createWriter(writing.connection, translateSqlite)
  const checkpointer = createCheckpointer(file, writing.connection, writer)
  const read = createReader(reading.connection, { translate: translateSqlite, isBusy })
  const driver = createDriver(writing, reading, writer, read)
  const adapter = new TransactionalSqliteAdapter()
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SingleWriterQueryCompiler(),
    },
  })
  openDirectWays(adapter, {
    outside(query) {
      if (!isRead(query)) return (parameters) => writer.write(() => writing.rows(query.sql, parameters))
      let statement: Statement | undefined
      return (parameters) => read(() => (statement ??= prepare(reading.connection, query.sql)).rows(parameters))
    },
    inside: (connection) => (query, parameters) => runInside(connection, () => writing.rows(query.sql, parameters)),
  })
  return {
    db,
    signals: createLocalSignals(writer.afterCommit),
    load: () => ({ writesWaiting: writer.waiting() }),
    async close() {
      await writer.drained()
      await checkpointer.close()
      // Reads that were asked for before this are served in this turn.
      await setImmediate()
      await db.destroy()
      reading.connection.close()
      writing.connection.close()
    },
  }
}

/** DDL is transactional in SQLite, and our writer serves any number of callers. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }

  override get supportsTransactionalDdl() {
    return true
  }
}

/** Whoever is in a transaction is alone here. So a row need not be held, as it must on PostgreSQL. */
class SingleWriterQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node)
  }
}

const ROW_LOCKS = new Set<SelectModifierNode['modifier']>(['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'ForKeyShare'])

interface Prepared {
  connection: DatabaseSync
  execute(sql: string, parameters: readonly unknown[]): QueryResult<unknown>
  /** What it returns alone: counting what it changed takes as long as a small statement. */
  rows(sql: string, parameters: readonly unknown[]): object[]
}

/**
 * The log and the index that SQLite puts beside the file get the file's own mode.
 *
 * Only before the first connection: closing any descriptor of a file cancels all POSIX locks that this process has on it
 * (fcntl(2)). Without them another program that opens, reads and closes the file takes itself for the last one to do so and
 * deletes the log, and with it every commit that follows. So nothing here opens the database file but SQLite, which knows.
 */
function createPrivately(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function connect(file: string, readOnly: boolean): Prepared {
  const connection = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: OPEN_TIMEOUT_MS })
  if (!readOnly) {
    // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a killed process.
    connection.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LAST_RESORT_PAGES}`,
    )
  }
  // SQLite would wait for a lock of another process in this thread, and everybody else with it: we try again ourselves.
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
 * Rows are read as arrays and made objects here, all of one shape. Those that SQLite's binding makes have each a shape of
 * its own, and reading a property of one takes several times as long.
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

interface Connection extends DatabaseConnection {
  transaction?: Transaction | undefined
}

function createDriver(writing: Prepared, reading: Prepared, writer: Writer, read: Reader): Driver {
  const connection = (): Connection => ({
    async executeQuery<R>(query: CompiledQuery) {
      const { sql, parameters } = query
      if (this.transaction) return runInside(this, () => writing.execute(sql, parameters)) as QueryResult<R>
      const run = isRead(query)
        ? read(() => reading.execute(sql, parameters))
        : writer.write(() => writing.execute(sql, parameters))
      return (await run) as QueryResult<R>
    },
    streamQuery() {
      throw new Error('Queries are not streamed.')
    },
  })
  const transactionOf = (held: Connection): Transaction => {
    if (!held.transaction) throw new Error('This connection is in no transaction.')
    return held.transaction
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection(),
    releaseConnection: async () => {},
    beginTransaction: async (held: Connection) => {
      held.transaction = await writer.begin()
    },
    commitTransaction: (held: Connection) => transactionOf(held).commit(),
    // Also called when the commit failed: then there is nothing left to undo.
    rollbackTransaction: async (held: Connection) => transactionOf(held).rollback(),
    destroy: async () => {},
  }
}

function runInside<T>({ transaction }: Connection, run: () => T): T {
  if (!transaction?.isOpen) throw new StorageFailure('unavailable', 'This transaction is over.')
  try {
    return run()
  } catch (error) {
    throw translateSqlite(error)
  }
}

/** A query that only reads, whether it was built or written as text: it never waits for the writer, nor keeps it. */
const isRead = ({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean =>
  SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql))
