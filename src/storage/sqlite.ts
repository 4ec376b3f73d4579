import { setImmediate } from 'node:timers/promises'
import { keepLogShort } from './checkpoint.ts'
import { createCommitTasks, type Reader, type StatementRunner, type Trx } from './database.ts'
import type { Engine } from './engine.ts'
import { createWriter, MAX_LOCK_WAIT_MS } from './group-commit.ts'
import { createMaintenanceThread } from './maintenance.ts'
import { createReadTogether } from './read-together.ts'
import { createLocalSignals } from './signals.ts'
import { connect, createPrivately } from './sqlite-connection.ts'
import { openReading, openWriting, runIn } from './sqlite-dialect.ts'
import { isBusy, translateSqlite } from './sqlite-errors.ts'

const dialect = 'sqlite' as const

/** One file, two connections: writes are committed in groups on one, and reads, which see only what is durable, run together on the other. */
export function openSqlite(file: string): Engine {
  createPrivately(file)
  const writes = connect(file, false)
  const reads = connect(file, true)
  const writer = createWriter(writes.connection, translateSqlite)
  const thread = createMaintenanceThread({ file, maxLockWaitMs: MAX_LOCK_WAIT_MS })
  const stopCheckpoints = keepLogShort(writes.connection, writer, thread)
  const read = createReadTogether(reads.connection, { translate: translateSqlite, isBusy })
  const reading = openReading(reads, read)
  const writing = openWriting(writes, writer)

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
          runIn(open, () => writes.rows(sql, parameters))
        const runNext: Trx['runNext'] = ({ sql }, parameters) => void runIn(open, () => writes.rows(sql, parameters))
        const trx = Object.assign(writing.within(open), { dialect, run, runNext, afterCommit }) as unknown as Trx
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
      writeInBackground(query) {
        const { sql, parameters } = query.compile(writing.kysely)
        return thread.inTurn(() => writer.between(() => thread.write(sql, parameters)))
      },
    },
    kysely: writing.kysely,
    signals: createLocalSignals(),
    load: () => ({ writesWaiting: writer.waiting() }),
    async close() {
      await writer.drained()
      stopCheckpoints()
      await thread.close()
      // Reads that were requested before this run in this turn.
      await setImmediate()
      reads.connection.close()
      writes.connection.close()
    },
  }
}
