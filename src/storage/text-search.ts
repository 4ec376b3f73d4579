import { type RawBuilder, sql } from 'kysely'

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
