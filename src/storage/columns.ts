import type { ColumnType } from 'kysely'
import type { OpenWord } from '../vocabulary/open-word.ts'

/** Reads a column that holds a list of texts as JSON. */
export const readTextList = (column: string): string[] => JSON.parse(column) as string[]

/** A word of a list that grows from version to version. Only known ones are written; others may be read. */
export type WordColumn<Known extends string> = ColumnType<OpenWord<Known>, Known, Known>
