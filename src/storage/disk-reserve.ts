import { type StatsFs, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageFailure } from './failure.ts'

/**
 * The space that is left free so that what is in SQLite's log can be moved into the database file. The log grows for as long as
 * another program reads the file. A disk that it has filled would stay full after that: the file has to grow before the log can
 * be shortened.
 */
export interface DiskReserve {
  /** True while there is too little space. */
  isShort(): boolean
  /** The failure of every write while there is too little space. */
  refusal(): StorageFailure | undefined
  /** Until this is called no write is refused, so that the service starts, and answers reads, also on a disk that is too full. */
  keep(): void
}

/** For what is written before the next look, and for what else needs space on this disk. */
const MAX_MARGIN_BYTES = 64 << 20
const MARGIN_SHARE = 0.1
/** Once there is too little, this much of the margin has to be free again, so that the answer does not change all the time. */
const ENOUGH = 1.25
/** A look takes some microseconds. */
const LOOK_MS = 50

interface Database {
  file: string
  /** The size of the database with everything that is in the log. */
  bytes(): number
}

type Measure = (folder: string) => Pick<StatsFs, 'bsize' | 'blocks' | 'bavail'>

export function createDiskReserve({ file, bytes }: Database, measure: Measure = statfsSync): DiskReserve {
  let isKept = false
  let isShort = false
  let lookedAt = -Infinity

  const look = (): boolean => {
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
    if (!isShort && performance.now() - lookedAt < LOOK_MS) return false
    lookedAt = performance.now()
    return (isShort = look())
  }
  return {
    isShort: isShortNow,
    refusal: () => (isKept && isShortNow() ? new StorageFailure('unwritable', 'The disk is nearly full.') : undefined),
    keep() {
      isKept = true
    },
  }
}
