import type { Logger } from 'pino'
import { createCommitTasks, type Engine, type Reader, type StatementRunner, type Trx } from '../database.ts'
import { isUnavailable } from '../failure.ts'
import { createEmitter, signalOnce } from '../signals.ts'
import { createTransactionQueue } from '../transaction-queue.ts'
import { connect, isBusy, translateSqlite, type SqliteConnection } from './connection.ts'
import { openReading, openWriting, runIn } from './dialect.ts'
import type { KeptLock } from './file-lock.ts'
import { createWriter, MAX_LOCK_WAIT_MS } from './group-commit.ts'
import { createDiskReserve, keepLogShort } from './keep-log-short.ts'
import { createMaintenanceThread } from './maintenance.ts'
import { createReadTogether } from './read-together.ts'

const dialect = 'sqlite' as const

/** One file, two connections: writes are committed in groups on one, and reads, which see only what is durable, run together on the other. */
export function openSqlite(file: string, log: Logger, lock: KeptLock): Engine {
  const writes = connect(file, false)
  const reads = connect(file, true)
  shortenLog(writes)
  const reserve = createDiskReserve({ file, bytes: () => databaseBytes(writes) })
  const failure = () => lock.failure() ?? reserve.failure()
  const writer = createWriter(writes.connection, translateSqlite, { failure })
  const thread = createMaintenanceThread({ file, maxLockWaitMs: MAX_LOCK_WAIT_MS })
  const keeper = keepLogShort(writes.connection, { file, log, writer, thread, reserve })
  const read = createReadTogether(reads.connection, { translate: translateSqlite, isBusy })
  const reading = openReading(reads, read)
  const writing = openWriting(writes, writer)
  // One process works on the file, so signals stay within it.
  const { deliver, signals } = createEmitter()

  const readOne: StatementRunner['run'] = ({ sql }, parameters) => read(() => reads.rows(sql, parameters))
  const reader: Reader = Object.assign(reading, { dialect, run: readOne })
  return {
    db: {
      dialect,
      read: reader,
      background: reader,
      run: ({ sql }, parameters) => writer.write(() => writes.rows(sql, parameters)),
      async transaction(work) {
        const open = await writer.begin()
        const { afterCommit, run: runTasks } = createCommitTasks()
        const run: StatementRunner['run'] = async ({ sql }, parameters) =>
          runIn(open, sql, () => writes.rows(sql, parameters))
        const runNext: Trx['runNext'] = ({ sql }, parameters) =>
          void runIn(open, sql, () => writes.rows(sql, parameters))
        const signal = signalOnce((name, payload) => afterCommit(() => deliver(name, payload)))
        const more = { dialect, run, runNext, afterCommit, signal }
        const trx = Object.assign(writing.within(open), more) as unknown as Trx
        try {
          const result = await work(trx)
          await open.commit()
          runTasks()
          return result
        } catch (error) {
          // After a failed commit there is nothing left to undo, and this does nothing.
          open.rollback()
          throw error
        }
      },
      personQueue: createTransactionQueue(),
      writeInBackground(query) {
        const { sql, parameters } = query.compile(writing.kysely)
        return thread.exclusively(() =>
          writer.between(async () => {
            const why = failure()
            if (why) throw why
            return thread.write(sql, parameters)
          }),
        )
      },
    },
    kysely: writing.kysely,
    signals,
    clockDifference: () => undefined,
    load: () => ({ writesWaiting: writer.waiting(), logBytes: keeper.bytes(), isShortOfSpace: reserve.isShort() }),
    keepReserve: reserve.keep,
    async close() {
      await writer.drained()
      keeper.stop()
      await thread.close()
      // Reads run in the order in which they were requested. Whether this one fails does not matter.
      await read(() => {}).catch(() => {})
      reads.connection.close()
      writes.connection.close()
      lock.release()
    },
  }
}

/** What a process that died has left in the log is moved before a request waits. A reader or a full disk may prevent it; it is tried again. */
function shortenLog({ execute }: SqliteConnection): void {
  try {
    execute('PRAGMA wal_checkpoint(TRUNCATE)', [])
  } catch (error) {
    if (!isUnavailable(translateSqlite(error))) throw error
  }
}

const databaseBytes = ({ rows }: SqliteConnection): number => {
  const [{ bytes = 0 } = {}] = rows(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    [],
  ) as {
    bytes?: number
  }[]
  return bytes
}
