import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
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
import { bindStatementsOn } from './statement.ts'

/** Distinct statements kept prepared. The service has fewer; lists of varying length must not grow it without bound. */
const MOST_STATEMENTS = 1000

/** One file, two connections: writes are committed in groups on one, and reads, which see only what is durable, run together on the other. */
export function openSqlite(file: string): Engine {
  const writing = connect(file, false)
  const reading = connect(file, true)
  const writer = createWriter(writing.connection, translate)
  const checkpointer = createCheckpointer(file, writing.connection, writer)
  const read = createReader(reading.connection, translate)
  const driver = createDriver(writing, reading, writer, read)
  const adapter = new TransactionalSqliteAdapter()
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  bindStatementsOn(adapter, (query) => {
    if (!isRead(query)) return (parameters) => writer.write(() => writing.execute(query.sql, parameters).rows)
    const statement = reading.connection.prepare(query.sql)
    return (parameters) => read(() => statement.all(...(parameters as SQLInputValue[])))
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

interface Prepared {
  connection: DatabaseSync
  execute(sql: string, parameters: readonly unknown[]): QueryResult<unknown>
}

function connect(file: string, readOnly: boolean): Prepared {
  // The log and the index that SQLite puts beside the file get the file's own mode.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const connection = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: 5000 })
  if (!readOnly) {
    // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a killed process.
    connection.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LAST_RESORT_PAGES}`,
    )
  }
  connection.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')

  const statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()
  const prepare = (sql: string) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = connection.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (statements.size >= MOST_STATEMENTS) statements.delete(statements.keys().next().value ?? '')
    statements.set(sql, prepared)
    return prepared
  }

  return {
    connection,
    execute(sql, parameters) {
      const { statement, returnsRows } = prepare(sql)
      const values = parameters as SQLInputValue[]
      if (returnsRows) return { rows: statement.all(...values) }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
  }
}

interface Connection extends DatabaseConnection {
  transaction?: Transaction | undefined
}

function createDriver(writing: Prepared, reading: Prepared, writer: Writer, read: Reader): Driver {
  const connection = (): Connection => ({
    async executeQuery<R>(query: CompiledQuery) {
      try {
        if (this.transaction?.isOpen === false) throw new StorageFailure('unavailable', 'This transaction is over.')
        const result = this.transaction
          ? writing.execute(query.sql, query.parameters)
          : isRead(query)
            ? await read(() => reading.execute(query.sql, query.parameters))
            : await writer.write(() => writing.execute(query.sql, query.parameters))
        return result as QueryResult<R>
      } catch (error) {
        throw translate(error)
      }
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

const isRead = (query: Pick<CompiledQuery, 'query'>): boolean => SelectQueryNode.is(query.query)

const PRIMARY_CODE = 0xff
const CONSTRAINT = 19
const AWAY = new Set([5, 6, 14]) // busy, locked, can't open
const UNWRITABLE = new Set([8, 10, 13]) // read-only, I/O error, full
const FOREIGN_KEY = 787

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const primary = error.errcode & PRIMARY_CODE
  if (AWAY.has(primary)) return new StorageFailure('unavailable', error)
  if (UNWRITABLE.has(primary)) return new StorageFailure('unwritable', error)
  if (primary !== CONSTRAINT) return error
  if (error.errcode === FOREIGN_KEY) return new StorageFailure('missing_reference', error)
  const target = /^UNIQUE constraint failed: ([^,]+)/.exec(error.message)?.[1]
  return target === undefined ? error : new StorageFailure('duplicate', error, target)
}
