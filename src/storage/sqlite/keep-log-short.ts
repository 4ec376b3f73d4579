import { statfsSync, type StatsFs, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import { StorageFailure } from '../failure.ts'
import { MAX_IDLE_BYTES } from './connection.ts'
import type { Writer } from './group-commit.ts'
import type { MaintenanceThread } from './maintenance.ts'

/** How often the size of the log is checked. */
const CHECK_MS = 500
/** Pages of 4 KB. With fewer in the log a checkpoint is not worth its cost. */
const MIN_PAGES = 4000
/** Few enough that writes can wait until they are moved. */
const FEW_PAGES = 50
/** While a reader keeps pages from being moved, each try reads the index of the whole log for nothing. */
const RETRY_MS = 2000

/** So long a log means that another program has been reading for long. */
const WARN_BYTES = 256 << 20

interface LogKeeper {
  /** The size of the file of the log. */
  bytes(): number
  stop(): void
}

interface LogKeeperOptions {
  file: string
  log: Pick<Logger, 'warn' | 'info'>
  writer: Pick<Writer, 'between'>
  thread: Pick<MaintenanceThread, 'exclusively' | 'movePages' | 'shortenLog'>
  reserve: Pick<DiskReserve, 'isShort'>
}

/**
 * Committed pages are in the log until they are moved into the database file. Moving ten thousand pages takes tenths of a
 * second, and SQLite would do it within a commit, while all writes wait. So another thread moves them while this one goes
 * on. The log starts again from its beginning only when all pages have been moved and nothing was written since: for the
 * last few, writes wait. A log that has become long beside a reader is shortened when that has ended, also when no write comes.
 */
export function keepLogShort(
  connection: DatabaseSync,
  { file, log, writer, thread, reserve }: LogKeeperOptions,
): LogKeeper {
  const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  let isMoving = false
  let waitUntil = -Infinity
  const report = createReports(log)

  /** 0 when SQLite can't say at the moment: the next check tries again. */
  const pagesInLog = (): number => {
    try {
      const { log: all, checkpointed } = state.get() as { log: number; checkpointed: number }
      return all - checkpointed
    } catch {
      return 0
    }
  }

  const bytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

  const isTooLong = (): boolean => bytes() > MAX_IDLE_BYTES || (reserve.isShort() && bytes() > 0)

  const moveAll = async () => {
    if (await thread.movePages(FEW_PAGES)) {
      waitUntil = performance.now() + RETRY_MS
      return
    }
    await writer.between(async () => {
      await thread.movePages(0)
      if (isTooLong()) await thread.shortenLog()
    })
  }

  const check = () => {
    report({ bytes: bytes(), isShort: reserve.isShort() })
    // Within a transaction SQLite can't say.
    if (isMoving || connection.isTransaction || performance.now() < waitUntil) return
    if (pagesInLog() < MIN_PAGES && !isTooLong()) return
    isMoving = true
    void thread
      .exclusively(moveAll)
      // The next check tries again.
      .catch(() => {})
      .finally(() => (isMoving = false))
  }
  const timer = setInterval(check, CHECK_MS).unref()
  return { bytes, stop: () => clearInterval(timer) }
}

/** Says once that something is wrong, and once that it is not any more. */
function createReports(log: LogKeeperOptions['log']) {
  let isLong = false
  let isShort = false
  return (now: { bytes: number; isShort: boolean }): void => {
    if (now.bytes > WARN_BYTES !== isLong) {
      isLong = !isLong
      if (isLong)
        log.warn(
          { bytes: now.bytes },
          'The log of SQLite is long, because another program has been reading the database file. It is shortened when that has ended.',
        )
      else log.info({ bytes: now.bytes }, 'The log of SQLite is short again.')
    }
    if (now.isShort !== isShort) {
      isShort = now.isShort
      if (isShort)
        log.warn(
          { logBytes: now.bytes },
          'The disk is nearly full. Writes are refused, so that the log of SQLite can still be moved into the database file. Free some space, or end the program that has been reading that file.',
        )
      else log.info('There is space on the disk again, and writes are accepted.')
    }
  }
}

/**
 * The space that is left free so that what is in SQLite's log can be moved into the database file. The log grows for as long as
 * another program reads the file. A disk that it has filled would stay full after that: the file has to grow before the log can
 * be shortened.
 */
export interface DiskReserve {
  /** True while there is too little space. */
  isShort(): boolean
  /** The failure of every write while there is too little space. */
  failure(): StorageFailure | undefined
  /** Until this is called no write is refused, so that the service starts, and answers reads, also on a disk that is too full. */
  keep(): void
}

/** For what is written before the next measurement, and for what else needs space on this disk. */
const MAX_MARGIN_BYTES = 64 << 20
const MARGIN_SHARE = 0.1
/** Once there is too little, this much of the margin has to be free again, so that the answer does not change all the time. */
const ENOUGH = 1.25
/** Measuring takes some microseconds. */
const MEASURE_MS = 50

interface Database {
  file: string
  /** The size of the database with everything that is in the log. */
  bytes(): number
}

type Measure = (folder: string) => Pick<StatsFs, 'bsize' | 'blocks' | 'bavail'>

export function createDiskReserve({ file, bytes }: Database, measure: Measure = statfsSync): DiskReserve {
  let isKept = false
  let isShort = false
  let measuredAt = -Infinity

  const measureNow = (): boolean => {
    try {
      const { bsize, blocks, bavail } = measure(dirname(file))
      const growth = Math.max(0, bytes() - statSync(file).size)
      const margin = Math.min(MAX_MARGIN_BYTES, blocks * bsize * MARGIN_SHARE)
      return bavail * bsize < growth + (isShort ? ENOUGH : 1) * margin
    } catch {
      // The file may have been moved for a moment. Where a file system can never say, the disk itself refuses when it is full.
      return isShort
    }
  }
  const isShortNow = (): boolean => {
    // Space that was freed counts at once.
    if (!isShort && performance.now() - measuredAt < MEASURE_MS) return false
    measuredAt = performance.now()
    return (isShort = measureNow())
  }
  return {
    isShort: isShortNow,
    failure: () => (isKept && isShortNow() ? new StorageFailure('unwritable', 'The disk is nearly full.') : undefined),
    keep() {
      isKept = true
    },
  }
}
