import { StorageFailure } from '../failure.ts'

const PRIMARY_CODE = 0xff
const BUSY = new Set([5, 6]) // another process, or another connection of ours, holds the lock
const CANTOPEN = 14
const CONSTRAINT = 19
const UNWRITABLE = new Set([8, 10, 13]) // read-only, I/O error, full
const FOREIGN_KEY = 787

/** SQLite's extended result code, where the error is one of SQLite. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined

/** True when another connection holds the lock. Trying again later may work. */
export const isBusy = (error: unknown): boolean => BUSY.has((codeOf(error) ?? 0) & PRIMARY_CODE)

/** Turns SQLite's errors into those that both engines share. */
export function translateSqlite(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  const primary = code & PRIMARY_CODE
  if (BUSY.has(primary) || primary === CANTOPEN) return new StorageFailure('unavailable', error)
  if (UNWRITABLE.has(primary)) return new StorageFailure('unwritable', error)
  if (primary !== CONSTRAINT) return error
  if (code === FOREIGN_KEY) return new StorageFailure('missing_reference', error)
  const target = /^UNIQUE constraint failed: ([^,]+)/.exec((error as Error).message)?.[1]
  return target === undefined ? error : new StorageFailure('duplicate', error, target)
}
