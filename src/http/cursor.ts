import { refuseField } from '../errors.ts'

/**
 * Where a page ended: the sort keys of its last row. Opaque to callers, stable while rows are added, and worth nothing
 * to whoever forges one, since it only says where in their own list to go on.
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
    // Said below, like every other forged or damaged cursor.
  }
  return refuseField('cursor', 'The cursor is not one that this server gave out.')
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 128 && value.isWellFormed() && !value.includes('\0')

/**
 * How many rows a page looks at while it sifts them by something that no index serves. It stops there, with fewer items
 * than it was asked for and a cursor to go on from, so that no page takes longer than others like to wait.
 */
export const MAX_ROWS_EXAMINED = 2500

/**
 * Cuts a list that was read one row longer than the page, and says where the next page starts: after its last row, or
 * where the looking stopped.
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
