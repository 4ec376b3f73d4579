import { atField } from '../../errors.ts'
import { requestErrors } from './request-errors.ts'

/**
 * Where a page ended: the sort keys of its last row. Opaque to clients and stable while rows are added. Forging one gains
 * nothing, since it only says where the same list continues.
 */
export type Position = [number, string]

export const encodeCursor = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url')

export function decodeCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(value) && value.length === 2 && Number.isSafeInteger(value[0]) && isKey(value[1])) {
      return value as Position
    }
  } catch {
    // Refused below, like every other forged or damaged cursor.
  }
  throw atField('cursor', requestErrors.cursor_unknown())
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 254 && value.isWellFormed() && !value.includes('\0')

/**
 * How many rows a page examines while it filters by something without an index. It stops there, with fewer items than
 * requested and a cursor to continue from, so that no page takes long.
 */
export const MAX_ROWS_EXAMINED = 2500

/**
 * Cuts a list that was read one row longer than the page, and returns where the next page starts: after the last row, or
 * where the search stopped.
 */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  position: (row: Row) => Position,
  toItem: (row: Row) => Item,
  stopped?: Position,
): { items: Item[]; nextCursor: string | null } {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const next = last === undefined ? stopped : position(last)
  return { items: rows.slice(0, limit).map(toItem), nextCursor: next === undefined ? null : encodeCursor(next) }
}
