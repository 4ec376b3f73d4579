import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { type CompiledStatement, createCommitTasks, type Reader, type StatementRunner, type Trx } from './database.ts'
import type { Engine } from './engine.ts'
import { isUnavailable, StorageFailure } from './failure.ts'
import { migrate } from './migrate.ts'
import { createPipelinedReads } from './postgres-reads.ts'
import { limitSession, MIGRATING, SERVING, type SessionLimits } from './postgres-session.ts'
import { createPostgresSignals } from './postgres-signals.ts'
import { explainRefusal, tryPostgres } from './postgres-start.ts'
import type { Schema } from './schema.ts'

/**
 * After this long without an answer from the database the client gets 503. With what else a request does, such as hashing a
 * password, that stays below five seconds.
 */
const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 3500
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
    types: { getTypeParser },
  }
  await migrateFirst(settings)

  const limited = { ...settings, query_timeout: QUERY_TIMEOUT_MS * timeoutFactor }
  const { kysely, pool } = connect({ ...limited, max: MAX_CONNECTIONS }, SERVING, { log, timeoutFactor })
  const reads = createPipelinedReads(limited, pool, timeoutFactor)
  const signals = createPostgresSignals(settings, log, timeoutFactor)
  return {
    db: {
      dialect,
      read: Object.assign(kysely, { dialect, run: runWith(reads.query) }) satisfies Reader,
      // Not on the connections for reads: a write is answered when it is on the disk, and reads would wait behind it.
      run: runWith(async (query) => (await pool.query(query)).rows),
      transaction: (work) =>
        retryDeadlocks(async () => {
          const { afterCommit, run: runTasks } = createCommitTasks()
          const result = await kysely.transaction().execute((opened) => work(toTrx(opened, afterCommit)))
          runTasks()
          return result
        }),
    },
    kysely,
    signals,
    load: () => ({ pool: { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount } }),
    async close() {
      await signals.close()
      await reads.close()
      await kysely.destroy()
    },
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

const runWith =
  (query: (query: pg.QueryConfig) => Promise<unknown[]>): StatementRunner['run'] =>
  async ({ name, sql: text }, values) => {
    try {
      return await query({ name, text, values })
    } catch (error) {
      throw translate(error)
    }
  }

function toTrx(kysely: Transaction<Schema>, afterCommit: Trx['afterCommit']): Trx {
  const run: StatementRunner['run'] = async (statement, parameters) =>
    (await kysely.executeQuery({ ...statement, parameters })).rows
  return Object.assign(kysely, { dialect, run, afterCommit }) as unknown as Trx
}

/** The SQLSTATE of a deadlock: the server ended one of two transactions that waited for each other. */
const DEADLOCK = '40P01'
const MAX_DEADLOCKS = 3

async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let deadlocks = 1; ; deadlocks++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || deadlocks === MAX_DEADLOCKS) throw error
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
  const kysely = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => createDriver(pool),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { pool, kysely }
}

/** 64-bit integers here are times and counts below 2^53. Certificate serials are read as text. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)

interface Connection extends DatabaseConnection {
  client: pg.PoolClient
  broken?: boolean
}

function createDriver(pool: pg.Pool): Driver {
  const connection = (client: pg.PoolClient): Connection => ({
    client,
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { name } = query as Partial<CompiledStatement>
      const { rows, rowCount } = await send(this, {
        ...(name === undefined ? {} : { name }),
        text: query.sql,
        values: [...query.parameters],
      })
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('Queries are not streamed.')
    },
  })
  const send = async (held: Connection, query: pg.QueryConfig | string): Promise<pg.QueryResult> => {
    try {
      return await held.client.query(query)
    } catch (error) {
      const failure = translate(error)
      if (isUnavailable(failure) && !isSessionUsable(error)) held.broken = true
      throw failure
    }
  }
  return {
    init: async () => {},
    async acquireConnection() {
      try {
        return connection(await pool.connect())
      } catch (error) {
        throw translate(error)
      }
    },
    releaseConnection: async (held) => {
      const { client, broken } = held as Connection
      client.release(broken)
    },
    beginTransaction: async (held) => void (await send(held as Connection, 'begin')),
    // The server answers the COMMIT of a failed transaction with success and the command ROLLBACK.
    commitTransaction: async (held) => {
      const { command } = await send(held as Connection, 'commit')
      if (command !== 'COMMIT') throw new StorageFailure('unavailable', 'The transaction was undone, not committed.')
    },
    // A broken connection is closed, and the server then rolls back.
    rollbackTransaction: async (held) => {
      if (!(held as Connection).broken) await send(held as Connection, 'rollback')
    },
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

const isSessionUsable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && SESSION_STAYS_USABLE.test(error.code ?? '')

/** From the constraint's name, since the message is in the server's language: `users_email_key` stands for `users.email`. */
function targetOf({ table = '', constraint = '' }: pg.DatabaseError): string {
  return `${table}.${constraint.replace(`${table}_`, '').replace(/_key$/, '')}`
}
