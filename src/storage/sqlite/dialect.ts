import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { SkippedStatement, StorageFailure } from '../failure.ts'
import type { Schema } from '../schema.ts'
import { translateSqlite, type SqliteConnection } from './connection.ts'
import type { Transaction, Writer } from './group-commit.ts'
import type { ReadTogether } from './read-together.ts'

/** Builds queries and runs them on the connection that only reads. */
export const openReading = (reading: SqliteConnection, read: ReadTogether): Kysely<Schema> =>
  new Kysely({
    dialect: createDialect(
      createDriver(async ({ sql, parameters }) => read(() => reading.execute(sql, parameters)), {
        begin: () => Promise.reject(new Error('This connection only reads.')),
      }),
    ),
  })

/** Builds queries and runs them on the writer, in transactions. */
export function openWriting(writing: SqliteConnection, writer: Writer) {
  const run: Run = async ({ sql, parameters }, transaction) =>
    runIn(transaction, sql, () => writing.execute(sql, parameters))
  const driver = createDriver(run, writer)
  const dialect = createDialect(driver)
  const kysely = new Kysely<Schema>({ dialect })
  const executor = kysely.getExecutor()
  return {
    kysely,
    /** For queries in a transaction that has begun. Kysely's own transactions take longer than most of ours. */
    within(transaction: Transaction): Kysely<Schema> {
      const connection = createConnection(run, transaction)
      const bound = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
      return new Kysely({ config: { dialect }, dialect, driver, executor: bound })
    },
  }
}

/**
 * A transaction that is over, also because it took too long, runs nothing more. Nor does one in which a statement has failed: SQLite
 * would go on without that one and commit the others, but PostgreSQL does not.
 */
export function runIn<T>(transaction: Transaction | undefined, sql: string, run: () => T): T {
  if (!transaction?.isOpen) throw new StorageFailure('unavailable', 'This transaction is over.')
  if (transaction.failed) throw new SkippedStatement(transaction.failed.sql, transaction.failed.error)
  try {
    return run()
  } catch (error) {
    transaction.failed = { sql, error: translateSqlite(error) }
    throw transaction.failed.error
  }
}

const createDialect = (driver: Driver): Dialect => ({
  createAdapter: () => new TransactionalSqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  createQueryCompiler: () => new SingleWriterQueryCompiler(),
})

/** DDL is transactional in SQLite, and our writer serves any number of callers. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }

  override get supportsTransactionalDdl() {
    return true
  }
}

/** There is one transaction at a time, so row locks, which PostgreSQL needs, are left out of the query. */
class SingleWriterQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node)
  }
}

const ROW_LOCKS = new Set<SelectModifierNode['modifier']>(['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'ForKeyShare'])

interface Connection extends DatabaseConnection {
  transaction: Transaction | undefined
}

type Run = (query: CompiledQuery, transaction: Transaction | undefined) => Promise<QueryResult<unknown>>

const createConnection = (run: Run, transaction?: Transaction): Connection => ({
  transaction,
  executeQuery<R>(query: CompiledQuery) {
    return run(query, this.transaction) as Promise<QueryResult<R>>
  },
  streamQuery() {
    throw new Error('Queries are not streamed.')
  },
})

function createDriver(run: Run, { begin }: Pick<Writer, 'begin'>): Driver {
  const transactionOf = ({ transaction }: Connection): Transaction => {
    if (!transaction) throw new Error('This connection is in no transaction.')
    return transaction
  }
  return {
    init: async () => {},
    acquireConnection: async () => createConnection(run),
    releaseConnection: async () => {},
    beginTransaction: async (connection: Connection) => {
      connection.transaction = await begin()
    },
    commitTransaction: (connection: Connection) => transactionOf(connection).commit(),
    // Kysely also calls it when the commit failed: then there is nothing left to undo.
    rollbackTransaction: async (connection: Connection) => transactionOf(connection).rollback(),
    destroy: async () => {},
  }
}
