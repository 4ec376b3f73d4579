import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StartError } from '../../errors.ts'
import { isCode } from '../durable-files.ts'
import { StorageFailure } from '../failure.ts'

export interface FileLock {
  /** Takes it again if its file was removed or replaced. False when another process has it now. */
  renew(): boolean
  release(): void
}

/** Several times as long as a running process takes to notice that the file of its lock is gone. */
const MAX_HOLDER_WAIT_MS = 3000
const POLL_MS = 50

/**
 * One process at a time works on a SQLite file: its caches would go stale if a second one wrote. The lock is an open
 * exclusive transaction on a file beside it, which ends with its process, however that ends.
 */
export async function lockFile(file: string): Promise<FileLock> {
  const path = `${file}.lock`
  await waitForHolder(file, path)
  let lock = take(path)
  if (!lock)
    throw new StartError(`Another Latchkey is already running on ${file}. Stop it, or set DATA_DIR to another folder.`)
  return {
    renew() {
      const current = identify(path)
      if (current === lock?.id) return true
      const again = current === undefined ? putInPlace(path) : take(path)
      if (!again) return false
      lock?.close()
      lock = again
      return true
    },
    release: () => lock?.close(),
  }
}

/** Which file is there now. A file keeps this for as long as a process has it open, also when it is renamed or removed. */
function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev}:${found.ino}`
}

/**
 * A log without a lock means that somebody has removed the lock: SQLite removes the log when it is closed, and a process that
 * was killed leaves both. If that process still runs, it puts its lock there again.
 */
async function waitForHolder(file: string, path: string): Promise<void> {
  if (!existsSync(`${file}-wal`)) return
  const since = performance.now()
  while (!existsSync(path) && performance.now() - since < MAX_HOLDER_WAIT_MS) await sleep(POLL_MS)
}

interface Taken {
  id: string | undefined
  close(): void
}

function take(path: string): Taken | undefined {
  // Made without SQLite, so that it is known which file is locked. One that is there is not opened: closing it would end the
  // locks that this process has on it.
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const id = identify(path)
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    if (id === identify(path)) return { id, close: () => lock.close() }
  } catch {
    // Another process has it.
  }
  lock.close()
  return undefined
}

/** It is locked before it is there, so that a process that waits for it can't take it first. One that is there stays. */
function putInPlace(path: string): Taken | undefined {
  const unfinished = `${path}.${randomUUID()}`
  const lock = take(unfinished)
  try {
    linkOrRename(unfinished, path)
    return lock
  } catch (error) {
    lock?.close()
    if (isCode(error, 'EEXIST')) return undefined
    throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Not every file system has links. Renaming replaces a file that another process has made at the same moment. */
function linkOrRename(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw error
    renameSync(from, to)
  }
}

export interface KeptLock {
  /** The failure of every write for as long as this process may not write. */
  failure(): StorageFailure | undefined
  release(): void
}

/** A start waits several times as long for the lock of a running process. */
const CHECK_MS = 500
/** Before a write it is checked unless that was just done. A check takes some microseconds. */
const RECENT_MS = 50

interface KeptLockOptions {
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
export function keepLock(lock: FileLock, { file, log, onTaken }: KeptLockOptions): KeptLock {
  const opened = identify(file)
  let state: 'held' | 'taken' | 'away' | 'unknown' = 'held'
  let checkedAt = performance.now()
  let takenSince: number | undefined

  const find = (): typeof state => {
    if (identify(file) !== opened) return 'away'
    try {
      return lock.renew() ? 'held' : 'taken'
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
    failure() {
      if (performance.now() - checkedAt >= RECENT_MS) check()
      return state === 'held' ? undefined : new StorageFailure('unwritable', `The lock of ${file} is not held.`)
    },
    release() {
      clearInterval(timer)
      lock.release()
    },
  }
}
