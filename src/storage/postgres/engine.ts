import type { Kysely } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { createClockDifference } from '../clock-difference.ts'
import { type Engine, type Reader, type StatementRunner, type Trx } from '../database.ts'
import type { Schema } from '../schema.ts'
import { createTransactionQueue } from '../transaction-queue.ts'
import { rethrow } from './errors.ts'
import { createKysely } from './kysely.ts'
import { createAbandoned, createAlone, openPool, type Places, runAlone } from './pool.ts'
import { BACKGROUND, MAX_SESSION_MS, PATIENT, PROGRAMS, READING, SERVING, type SessionLimits } from './session.ts'
import { createSharedReads, createSharedWrites, type SharedConnection } from './shared-connection.ts'
import { createPostgresSignals, createWatch, signalWith } from './signals.ts'
import { migratePostgres } from './start.ts'
import { createBatchSender, type Query, queryOf } from './statement-batch.ts'
import { type PostgresTransaction, repeat, transact } from './transaction.ts'

/**
 * After this long without an answer from the database the client gets 503. With what else a request does, such as hashing a
 * password, that stays below five seconds.
 */
const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 3500
const BACKGROUND_TIMEOUT_MS = BACKGROUND.statement_timeout + 250
const MAX_CONNECTIONS = 10
/** For reads alone: they go on while every commit waits for a standby that is lost. */
const MAX_READING = 4
/** For statements and transactions that wait for locks, and how long one waits until another has ended. */
const MAX_PATIENT = 3
const PATIENT_TIMEOUT_MS = 1500
/** TCP keepalive starts on a connection that was silent for this long. */
const KEEPALIVE_IDLE_MS = 10_000

export interface PostgresOptions {
  /** Multiplies every time limit: tests that are not about these limits set it. */
  timeoutFactor?: number | undefined
  /** This machine's clock, which is compared with that of the database. */
  systemNow?: (() => number) | undefined
  /** How old a connection may become. */
  maxSessionMs?: number | undefined
}

export async function openPostgres(
  url: string,
  log: Logger,
  now: number,
  { timeoutFactor = 1, systemNow = Date.now, maxSessionMs = MAX_SESSION_MS }: PostgresOptions = {},
): Promise<Engine> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS * timeoutFactor,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_MS,
  }
  await migratePostgres(url, settings, { log, now, timeoutFactor })

  const abandoned = createAbandoned()
  const send = createBatchSender()
  const limited = { ...settings, query_timeout: QUERY_TIMEOUT_MS * timeoutFactor }
  const openLimited = (limits: SessionLimits, more: pg.PoolConfig): pg.Pool => {
    const pooled = { ...limited, maxLifetimeSeconds: maxSessionMs / 1000, ...more }
    return openPool(pooled, { program: PROGRAMS.pool, limits }, { log, timeoutFactor })
  }
  const serving = openLimited(SERVING, { max: MAX_CONNECTIONS })
  const reading = openLimited(READING, { max: MAX_READING })
  const patientTimeout = PATIENT_TIMEOUT_MS * timeoutFactor
  const patient = openLimited(PATIENT, { max: MAX_PATIENT, connectionTimeoutMillis: patientTimeout })
  const pools = [serving, reading, patient]

  const forChanges: Places = {
    first: { pool: serving, send, abandoned },
    patient: { pool: patient, send, abandoned },
  }
  const forReads: Places = { first: { pool: reading, send }, patient: { pool: patient, send } }
  const [changesAlone, readsAlone] = [createAlone(forChanges), createAlone(forReads)]
  const { kysely, within } = createKysely(forChanges.first, changesAlone.run)
  const { kysely: reader } = createKysely(forReads.first, readsAlone.run)
  const shared = { createClient: () => new pg.Client(limited), timeoutFactor, maxSessionMs, send }
  const reads = createSharedReads({ ...shared, alone: readsAlone })
  const writes = createSharedWrites({ ...shared, alone: changesAlone, abandoned })
  const background = openBackground()
  const clock = createClockDifference(log)
  const signals = createPostgresSignals(settings, {
    log,
    timeoutFactor,
    maxSessionMs,
    watch: createWatch({ clock, abandoned, systemNow }),
  })
  return {
    db: {
      dialect,
      read: Object.assign(reader, { dialect, run: runOn(reads) }) satisfies Reader,
      background: background.reader,
      // Not on the connection for reads: a write is answered when it is on the disk, and reads would wait behind it.
      run: runOn(writes),
      transaction: (work) => transact(forChanges, (open, afterCommit) => work(toTrx(within(open), open, afterCommit))),
      personQueue: createTransactionQueue(),
      async writeInBackground(query) {
        const { numAffectedRows } = await repeat(() => query.execute(kysely))
        return Number(numAffectedRows)
      },
    },
    kysely,
    signals,
    load: () => ({
      pool: {
        open: sum(pools.map(({ totalCount }) => totalCount)),
        idle: sum(pools.map(({ idleCount }) => idleCount)),
        waiting: sum(pools.map(({ waitingCount }) => waitingCount)),
        unanswered: abandoned.count(),
      },
    }),
    clockDifference: clock.read,
    async close() {
      await signals.close()
      await Promise.all([reads.close(), writes.close(), background.close()])
      // Nobody waits for what they run.
      abandoned.close()
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }

  /** One connection, which opens when it is first needed and closes when it was idle for ten seconds. */
  function openBackground(): { reader: Reader; close(): Promise<void> } {
    const timeout = BACKGROUND_TIMEOUT_MS * timeoutFactor
    // The first limit is also that of waiting for the statement before.
    const pool = openLimited(BACKGROUND, { connectionTimeoutMillis: timeout, query_timeout: timeout, max: 1 })
    const runSingle = (query: Query) => runAlone({ pool, send }, query)
    const { kysely: builder } = createKysely({ pool, send }, runSingle)
    const run = async (query: Query) => (await runSingle(query)).rows
    let client: pg.ClientBase | undefined
    pool.on('connect', (connected) => (client = connected))
    // It may be removed when the next one is there already.
    pool.on('remove', (removed) => (client = client === removed ? undefined : client))
    return {
      reader: Object.assign(builder, { dialect, run: runOn({ run }) }),
      async close() {
        // Nobody waits for the statement that it runs.
        void (client as pg.Client | undefined)?.end()
        await pool.end()
      },
    }
  }
}

const dialect = 'postgres' as const

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)

const runOn =
  ({ run }: Pick<SharedConnection, 'run'>): StatementRunner['run'] =>
  ({ name, sql: text }, values) =>
    run(queryOf(text, values, name)).catch(rethrow)

function toTrx(kysely: Kysely<Schema>, open: PostgresTransaction, afterCommit: Trx['afterCommit']): Trx {
  const run: StatementRunner['run'] = ({ name, sql: text }, values) =>
    open.run(queryOf(text, values, name)).then(({ rows }) => rows, rethrow)
  const runNext: Trx['runNext'] = ({ name, sql: text }, values) => open.runNext(queryOf(text, values, name))
  return Object.assign(kysely, { dialect, run, runNext, afterCommit, signal: signalWith(runNext) }) as unknown as Trx
}
