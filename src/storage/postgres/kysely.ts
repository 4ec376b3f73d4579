import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Schema } from '../schema.ts'
import { rethrow } from './errors.ts'
import type { Connections } from './pool.ts'
import { type Answer, type Query, queryOf } from './statement-batch.ts'
import { openTransaction, type PostgresTransaction } from './transaction.ts'

type RunSingle = (query: Query) => Promise<Answer>

/** Kysely on a pool, which whoever opened it has to close: Kysely destroys only what it has used by itself. `runSingle` runs the statements that are in no transaction. */
export function createKysely(connections: Connections, runSingle: RunSingle) {
  const driver = createDriver(connections, runSingle)
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (introspected) => new PostgresIntrospector(introspected),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const kysely = new Kysely<Schema>({ dialect })
  const executor = kysely.getExecutor()
  return {
    kysely,
    /** For queries in a transaction that is open. Kysely's own transactions take longer. */
    within(open: PostgresTransaction): Kysely<Schema> {
      const connection = connectionOf(open)
      const bound = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
      return new Kysely({ config: { dialect }, dialect, driver, executor: bound })
    },
  }
}

interface Connection extends DatabaseConnection {
  open: Pick<PostgresTransaction, 'run' | 'release'> & Partial<PostgresTransaction>
}

const connectionOf = (open: Connection['open']): Connection => ({
  open,
  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, tag } = await this.open.run(queryOf(text, parameters)).catch(rethrow)
    return { rows: rows as R[], numAffectedRows: BigInt(/\d+$/.exec(tag)?.[0] ?? 0) }
  },
  streamQuery() {
    throw new Error('Queries are not streamed.')
  },
})

const createDriver = (connections: Connections, runSingle: RunSingle): Driver => ({
  init: async () => {},
  acquireConnection: async () => connectionOf({ run: runSingle, release: () => {} }),
  releaseConnection: async (connection) => (connection as Connection).open.release(),
  beginTransaction: async (connection) => {
    ;(connection as Connection).open = await openTransaction(connections).catch(rethrow)
  },
  commitTransaction: async (connection) => (connection as Connection).open.commit?.().catch(rethrow),
  rollbackTransaction: async (connection) => (connection as Connection).open.rollback?.(),
  destroy: async () => {},
})
