import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a column contains a text, in upper or lower case. `%` and `_` mean themselves. SQLite knows the case of ASCII
 * letters only.
 */
export const contains = (column: string, text: string): RawBuilder<boolean> => like(column, `%${escape(text)}%`)

/** Whether a column begins with a text, likewise. */
export const beginsWith = (column: string, text: string): RawBuilder<boolean> => like(column, `${escape(text)}%`)

const escape = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`)

const like = (column: string, pattern: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`
