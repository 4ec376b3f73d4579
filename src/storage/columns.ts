import { type ColumnType, type RawBuilder, sql } from 'kysely'
import type { OpenWord } from '../vocabulary/open-word.ts'

/** Reads a column that holds a list of texts as JSON. */
export const readTextList = (column: string): string[] => JSON.parse(column) as string[]

/** A word of a list that grows from version to version. Only known ones are written; others may be read. */
export type WordColumn<Known extends string> = ColumnType<OpenWord<Known>, Known, Known>

/**
 * Whether a stored time, at which something becomes due or a lease ends, has come. A time further ahead than it could have
 * been set (`maxAheadMs`) was written under a wrong clock, and counts as due: otherwise it might be due only years later.
 */
export const isDue = (dueAt: number, now: number, maxAheadMs: number): boolean =>
  dueAt <= now || dueAt > now + maxAheadMs

/** The same in a query. */
export const due = (column: string, now: number, maxAheadMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + maxAheadMs})`

/**
 * How far the clocks of replicas may be apart. Added to `maxAheadMs` where work must not be taken from a replica that still
 * does it and whose clock is ahead.
 */
export const MAX_CLOCK_SKEW_MS = 60_000

/** Whether a column contains a text, in upper or lower case. `%` and `_` mean themselves. */
export const contains = (column: string, text: string): RawBuilder<boolean> => like(column, ['%', text, '%'])

/** Whether a column begins with a text, likewise. */
export const beginsWith = (column: string, text: string): RawBuilder<boolean> => like(column, ['', text, '%'])

const escape = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`)

function like(column: string, [before, text, after]: [string, string, string]): RawBuilder<boolean> {
  const letters = Array.from(text.normalize('NFC'))
  const pattern = before + escape(letters.map((letter) => letter.toLowerCase()).join('')) + after
  return sql<boolean>`lower(${withLowerCase(column, letters)}) like lower(${pattern}) escape '\\'`
}

/** SQLite knows the case of ASCII letters only, so the others that the text has are put into lower case one by one. */
function withLowerCase(column: string, letters: string[]): RawBuilder<unknown> {
  const upper = letters.filter((letter) => letter > '\u007f').map((letter) => letter.toUpperCase())
  return [...new Set(upper)]
    .filter((letter) => /^.$/u.test(letter) && letter !== letter.toLowerCase())
    .reduce<RawBuilder<unknown>>(
      (value, letter) => sql`replace(${value}, ${letter}, ${letter.toLowerCase()})`,
      sql.ref(column),
    )
}
