import { setTimeout } from 'node:timers/promises'
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
import pg from 'pg'
import type { Logger } from 'pino'
import { createCommitTasks, type Reader, type StatementRunner, type Trx } from './database.ts'
import type { Engine } from './engine.ts'
import { isUnavailable, StorageFailure } from './failure.ts'
import { migrate } from './migrate.ts'
import { type Query, queryOf } from './postgres-batch.ts'
import type { Lane } from './postgres-lane.ts'
import { createReads } from './postgres-reads.ts'
import { BACKGROUND, limitSession, MIGRATING, SERVING, type SessionLimits } from './postgres-session.ts'
import { createPostgresSignals } from './postgres-signals.ts'
import { explainRefusal, tryPostgres } from './postgres-start.ts'
import { openTransaction, type PostgresTransaction, runAlone } from './postgres-transaction.ts'
import { createWrites } from './postgres-writes.ts'
import type { Schema } from './schema.ts'

/**
 * After this long without an answer from the database the client gets 503. With what else a request does, such as hashing a
 * password, that stays below five seconds.
 */
const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 3500
const BACKGROUND_TIMEOUT_MS = BACKGROUND.statement_timeout + 250
const MAX_CONNECTIONS = 10
/** TCP keepalive starts on a connection that was silent for this long. */
const KEEPALIVE_IDLE_MS = 10_000

/** `timeoutFactor` multiplies every time limit: tests that are not about these limits set it. */
export async function openPostgres(url: string, log: Logger, now: number, timeoutFactor = 1): Promise<Engine> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'latchkey',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS * timeoutFactor,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_MS,
  }
  await migrateFirst(settings)

  const limited = { ...settings, query_timeout: QUERY_TIMEOUT_MS * timeoutFactor }
  const { kysely, pool, within } = connect({ ...limited, max: MAX_CONNECTIONS }, SERVING, { log, timeoutFactor })
  const alone = async (query: Query) => (await runAlone(pool, isBroken, query)).rows
  const lanes = { settings: limited, timeoutFactor, alone }
  const reads = createReads(lanes)
  const writes = createWrites(lanes)
  const background = openBackground()
  const signals = createPostgresSignals(settings, log, timeoutFactor)
  return {
    db: {
      dialect,
      read: Object.assign(kysely, { dialect, run: runOn(reads) }) satisfies Reader,
      background: background.reader,
      // Not on the connection for reads: a write is answered when it is on the disk, and reads would wait behind it.
      run: runOn(writes),
      transaction: (work) =>
        retryDeadlocks(async () => {
          const { afterCommit, run: runTasks } = createCommitTasks()
          const open = await openTransaction(pool, isBroken).catch(rethrow)
          try {
            const result = await work(toTrx(within(open), open, afterCommit))
            await open.commit().catch(rethrow)
            runTasks()
            return result
          } catch (error) {
            await open.rollback()
            throw error
          } finally {
            open.release()
          }
        }),
      async writeInBackground(query) {
        const { numAffectedRows } = await retryDeadlocks(() => query.execute(kysely))
        return Number(numAffectedRows)
      },
    },
    kysely,
    signals,
    load: () => ({ pool: { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount } }),
    async close() {
      await signals.close()
      await Promise.all([reads.close(), writes.close(), background.close()])
      await kysely.destroy()
    },
  }

  /** One connection, which opens when it is first needed and closes when it was idle for ten seconds. */
  function openBackground(): { reader: Reader; close(): Promise<void> } {
    const timeout = BACKGROUND_TIMEOUT_MS * timeoutFactor
    // The first limit is also that of waiting for the statement before.
    const own = { ...settings, connectionTimeoutMillis: timeout, query_timeout: timeout, max: 1 }
    const { kysely: builder, pool: single } = connect(own, BACKGROUND, { log, timeoutFactor })
    const run = async (query: Query) => (await runAlone(single, isBroken, query)).rows
    let client: pg.ClientBase | undefined
    single.on('connect', (connected) => (client = connected))
    single.on('remove', () => (client = undefined))
    return {
      reader: Object.assign(builder, { dialect, run: runOn({ run }) }),
      async close() {
        // Nobody waits for the statement that it runs.
        void (client as pg.Client | undefined)?.end()
        await builder.destroy()
      },
    }
  }

  /** Without a time limit on queries: a replica that starts waits until another one has migrated. */
  async function migrateFirst(connection: pg.ClientConfig): Promise<void> {
    await tryPostgres(connection, url)
    const { kysely: starting } = connect({ ...connection, max: 1 }, MIGRATING, { log, timeoutFactor })
    try {
      await migrate(starting, now)
    } catch (error) {
      throw explainRefusal(error, url)
    } finally {
      await starting.destroy()
    }
  }
}

const dialect = 'postgres' as const

const runOn =
  ({ run }: Pick<Lane, 'run'>): StatementRunner['run'] =>
  ({ name, sql: text }, values) =>
    run(queryOf(text, values, name)).catch(rethrow)

function toTrx(kysely: Kysely<Schema>, open: PostgresTransaction, afterCommit: Trx['afterCommit']): Trx {
  const run: StatementRunner['run'] = ({ name, sql: text }, values) =>
    open.run(queryOf(text, values, name)).then(({ rows }) => rows, rethrow)
  const runNext: Trx['runNext'] = ({ name, sql: text }, values) => open.runNext(queryOf(text, values, name))
  return Object.assign(kysely, { dialect, run, runNext, afterCommit }) as unknown as Trx
}

/** The SQLSTATE of a deadlock: the server ended one of two transactions that waited for each other. */
const DEADLOCK = '40P01'
const MAX_DEADLOCKS = 3
/** Without a pause it would take the row again before the other, which waits for it, is woken up: the next deadlock. */
const DEADLOCK_PAUSE_MS = 50

async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let deadlocks = 1; ; deadlocks++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || deadlocks === MAX_DEADLOCKS) throw error
      await setTimeout(DEADLOCK_PAUSE_MS)
    }
  }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof StorageFailure && error.cause instanceof pg.DatabaseError && error.cause.code === DEADLOCK

function connect(
  settings: pg.PoolConfig,
  limits: SessionLimits,
  { log, timeoutFactor }: { log: Logger; timeoutFactor: number },
) {
  // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, which its types do not say.
  const pool = new pg.Pool({ ...settings, onConnect: (client) => limitSession(client, limits, timeoutFactor) })
  // An idle connection that the server closes is replaced at the next use. Without a listener the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'A database connection was lost.'))
  // The pool listens to idle connections only. One that is lost during a transaction, between two of its queries, makes the
  // next query fail. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const driver = createDriver(pool)
  const kyselyDialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (introspected) => new PostgresIntrospector(introspected),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const kysely = new Kysely<Schema>({ dialect: kyselyDialect })
  const executor = kysely.getExecutor()
  return {
    pool,
    kysely,
    /** For queries in a transaction that is open. Kysely's own transactions take longer. */
    within(open: PostgresTransaction): Kysely<Schema> {
      const connection = connectionOf(open)
      const bound = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
      return new Kysely({ config: { dialect: kyselyDialect }, dialect: kyselyDialect, driver, executor: bound })
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

function createDriver(pool: pg.Pool): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => connectionOf({ run: (query) => runAlone(pool, isBroken, query), release: () => {} }),
    releaseConnection: async (held) => (held as Connection).open.release(),
    beginTransaction: async (held) => {
      ;(held as Connection).open = await openTransaction(pool, isBroken).catch(rethrow)
    },
    commitTransaction: async (held) => (held as Connection).open.commit?.().catch(rethrow),
    rollbackTransaction: async (held) => (held as Connection).open.rollback?.(),
    destroy: () => pool.end(),
  }
}

const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'
/**
 * Connection, resource, operator intervention, system and transaction-rollback classes, a lock that was not granted in
 * time, and a transaction that stayed idle for too long: a retry may work.
 */
const UNAVAILABLE = /^(08|53|57|58|40|55P03|25P03|25P04)/
/** Those of them that end a statement or a transaction and leave the session usable. */
const SESSION_STAYS_USABLE = /^(55P03|57014|40)/
/** A full disk, or a server in read-only mode. */
const UNWRITABLE = /^(53100|25006)$/
const UNAVAILABLE_MESSAGE =
  /timeout|terminated|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|not queryable|Cannot use a pool after/i

export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) {
    const code = 'code' in error ? String(error.code) : ''
    return UNAVAILABLE_MESSAGE.test(`${code} ${error.message}`) ? new StorageFailure('unavailable', error) : error
  }
  if (error.code === UNIQUE_VIOLATION) return new StorageFailure('duplicate', error, targetOf(error))
  if (error.code === FOREIGN_KEY_VIOLATION) return new StorageFailure('missing_reference', error)
  if (UNWRITABLE.test(error.code ?? '')) return new StorageFailure('unwritable', error)
  return UNAVAILABLE.test(error.code ?? '') ? new StorageFailure('unavailable', error) : error
}

function rethrow(error: unknown): never {
  // The driver has made it while it read the server's answer, which says nothing about who asked.
  if (error instanceof Error) Error.captureStackTrace(error, rethrow)
  throw translate(error)
}

/** Whether the connection can't be used after this error. */
const isBroken = (error: unknown): boolean =>
  isUnavailable(translate(error)) && !(error instanceof pg.DatabaseError && SESSION_STAYS_USABLE.test(error.code ?? ''))

/** From the constraint's name, since the message is in the server's language: `users_email_key` stands for `users.email`. */
function targetOf({ table = '', constraint = '' }: pg.DatabaseError): string {
  return `${table}.${constraint.replace(`${table}_`, '').replace(/_key$/, '')}`
}
