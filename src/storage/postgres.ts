import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { createClockDifference } from './clock-difference.ts'
import { createCommitTasks, type Reader, type StatementRunner, type Trx } from './database.ts'
import type { Engine } from './engine.ts'
import { createAbandoned } from './postgres-abandoned.ts'
import { createAlone, runAlone } from './postgres-alone.ts'
import { type Query, queryOf } from './postgres-batch.ts'
import { isRepeatable, rethrow } from './postgres-errors.ts'
import { createKysely } from './postgres-kysely.ts'
import type { Lane } from './postgres-lane.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { openPool } from './postgres-pool.ts'
import { PROGRAMS } from './postgres-programs.ts'
import { createReads } from './postgres-reads.ts'
import { BACKGROUND, MAX_SESSION_MS, SERVING } from './postgres-session.ts'
import { createPostgresSignals, signalWith } from './postgres-signals.ts'
import { openTransaction, type PostgresTransaction } from './postgres-transaction.ts'
import { createWatch } from './postgres-watch.ts'
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
/** For single statements that wait for locks, and how long one waits until another has ended. */
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
    application_name: PROGRAMS.pool,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS * timeoutFactor,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_MS,
  }
  await migratePostgres(url, settings, { log, now, timeoutFactor })

  const abandoned = createAbandoned()
  const needs = { log, timeoutFactor, abandoned }
  const limited = { ...settings, query_timeout: QUERY_TIMEOUT_MS * timeoutFactor }
  const pooled = { ...limited, maxLifetimeSeconds: maxSessionMs / 1000 }
  const serving = openPool({ ...pooled, max: MAX_CONNECTIONS }, SERVING, needs)
  const patientTimeout = PATIENT_TIMEOUT_MS * timeoutFactor
  const patient = openPool({ ...pooled, max: MAX_PATIENT, connectionTimeoutMillis: patientTimeout }, SERVING, needs)
  const alone = createAlone(serving, patient, timeoutFactor)
  const { kysely, within } = createKysely(serving, alone.run)
  const lanes = { settings: limited, timeoutFactor, maxSessionMs, alone, abandoned }
  const reads = createReads(lanes)
  const writes = createWrites(lanes)
  const background = openBackground()
  const clock = createClockDifference(log)
  const signals = createPostgresSignals(settings, {
    log,
    timeoutFactor,
    watch: createWatch({ clock, abandoned, systemNow }),
  })
  return {
    db: {
      dialect,
      read: Object.assign(kysely, { dialect, run: runOn(reads) }) satisfies Reader,
      background: background.reader,
      // Not on the connection for reads: a write is answered when it is on the disk, and reads would wait behind it.
      run: runOn(writes),
      transaction: (work) =>
        repeat(async () => {
          const { afterCommit, run: runTasks } = createCommitTasks()
          const open = await openTransaction(serving).catch(rethrow)
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
        const { numAffectedRows } = await repeat(() => query.execute(kysely))
        return Number(numAffectedRows)
      },
    },
    kysely,
    signals,
    load: () => ({
      pool: {
        open: serving.pool.totalCount + patient.pool.totalCount,
        idle: serving.pool.idleCount + patient.pool.idleCount,
        waiting: serving.pool.waitingCount + patient.pool.waitingCount,
        unanswered: abandoned.count(),
      },
    }),
    clockDifference: clock.read,
    async close() {
      await signals.close()
      await Promise.all([reads.close(), writes.close(), background.close()])
      // Nobody waits for what they run.
      abandoned.close()
      await Promise.all([kysely.destroy(), patient.pool.end()])
    },
  }

  /** One connection, which opens when it is first needed and closes when it was idle for ten seconds. */
  function openBackground(): { reader: Reader; close(): Promise<void> } {
    const timeout = BACKGROUND_TIMEOUT_MS * timeoutFactor
    // The first limit is also that of waiting for the statement before.
    const own = { ...settings, connectionTimeoutMillis: timeout, query_timeout: timeout, max: 1 }
    const single = openPool(own, BACKGROUND, needs)
    const runSingle = (query: Query) => runAlone(single, query)
    const { kysely: builder } = createKysely(single, runSingle)
    const run = async (query: Query) => (await runSingle(query)).rows
    let client: pg.ClientBase | undefined
    single.pool.on('connect', (connected) => (client = connected))
    single.pool.on('remove', () => (client = undefined))
    return {
      reader: Object.assign(builder, { dialect, run: runOn({ run }) }),
      async close() {
        // Nobody waits for the statement that it runs.
        void (client as pg.Client | undefined)?.end()
        await builder.destroy()
      },
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
  return Object.assign(kysely, { dialect, run, runNext, afterCommit, signal: signalWith(runNext) }) as unknown as Trx
}

/** How often the work of a transaction is done at most. */
const MAX_TRIES = 3
/** Without a pause it would take the row again before the other, which waits for it, is woken up: the next deadlock. */
const DEADLOCK_PAUSE_MS = 50

/** Does the work again after a deadlock, and when a statement has to be prepared again: the server has undone all of it. */
async function repeat<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const when = isRepeatable(error)
      if (!when || tries === MAX_TRIES) throw error
      if (when === 'after a pause') await setTimeout(DEADLOCK_PAUSE_MS)
    }
  }
}
