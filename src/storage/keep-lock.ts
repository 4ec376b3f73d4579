import type { Logger } from 'pino'
import { StorageFailure } from './failure.ts'
import { type FileLock, identify } from './file-lock.ts'

export interface KeptLock {
  /** The failure of every write for as long as this process may not write. */
  refusal(): StorageFailure | undefined
  release(): void
}

/** A start waits several times as long for the lock of a running process. */
const CHECK_MS = 500
/** Before a write it is checked unless that was just done. A check takes some microseconds. */
const RECENT_MS = 50

interface Needs {
  file: string
  log: Pick<Logger, 'info' | 'error'>
  /** Another process works on the file now. */
  onTaken: (() => void) | undefined
}

/**
 * Somebody may remove the lock, or move the database away, while this process runs. The lock is put back. If another process
 * got it first, as it can while this one is frozen, this one writes nothing more. Nor does it write to a database that is no
 * longer at its place: that would be acknowledged, and lost.
 */
export function keepLock(lock: FileLock, { file, log, onTaken }: Needs): KeptLock {
  const opened = identify(file)
  let state: 'held' | 'taken' | 'away' | 'unknown' = 'held'
  let checkedAt = performance.now()
  let takenSince: number | undefined

  const find = (): typeof state => {
    if (identify(file) !== opened) return 'away'
    try {
      return lock.hold() ? 'held' : 'taken'
    } catch {
      // The disk may be full. It is tried again.
      return 'unknown'
    }
  }
  const check = () => {
    const before = state
    state = find()
    checkedAt = performance.now()
    takenSince = state === 'taken' ? (takenSince ?? checkedAt) : undefined
    if (state === 'away' && before !== 'away')
      log.error(
        `The database file ${file} was moved, removed or replaced. Writes are refused until it is there again. To use another one, restart the service.`,
      )
    if (before === 'away' && state !== 'away') log.info(`The database file ${file} is there again.`)
  }
  const timer = setInterval(() => {
    check()
    // Not at once: a process that only tried to start may have been in the way.
    if (takenSince === undefined || checkedAt - takenSince < CHECK_MS) return
    clearInterval(timer)
    log.error(
      `Another Latchkey works on ${file}, because the file of the lock was removed. This one writes nothing more.`,
    )
    onTaken?.()
  }, CHECK_MS).unref()

  return {
    refusal() {
      if (performance.now() - checkedAt >= RECENT_MS) check()
      return state === 'held' ? undefined : new StorageFailure('unwritable', `The lock of ${file} is not held.`)
    },
    release() {
      clearInterval(timer)
      lock.release()
    },
  }
}
