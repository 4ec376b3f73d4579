import type { Insertable } from 'kysely'
import type { Db, Schema } from './schema.ts'
import { isOneByOne, repeatedStatement, statement, type Values } from './statement.ts'

/** A batch of any length is a few statements of these sizes, and what is left one by one. The largest has 64 rows of a dozen values. */
const SIZES = [64, 16, 4]

/**
 * Inserts rows with prepared statements. Building one for each number of rows there can be costs several times what
 * running it does, and each would be prepared anew.
 */
export function rowInserter<T extends keyof Schema>(table: T, columns: readonly (keyof Schema[T] & string)[]) {
  type Row = Insertable<Schema[T]>

  const insertEach = repeatedStatement((db, value: Values<Record<string, unknown>>) =>
    db.insertInto(table).values(Object.fromEntries(columns.map((column) => [column, value(column)])) as Row),
  )
  const insertMany = SIZES.map((size) => {
    const keys = Array.from({ length: size }, (_, row) =>
      columns.map((column) => ({ column, key: `${row} ${column}` })),
    )
    const insert = statement((db, value: Values<Record<string, unknown>>) =>
      db
        .insertInto(table)
        .values(keys.map((row) => Object.fromEntries(row.map(({ column, key }) => [column, value(key)])) as Row)),
    )
    return { size, keys, insert }
  })

  return async (db: Db, rows: readonly Row[]): Promise<void> => {
    let done = 0
    for (const { size, keys, insert } of isOneByOne(db) ? [] : insertMany) {
      for (; rows.length - done >= size; done += size) {
        const values: Record<string, unknown> = {}
        keys.forEach((row, index) => {
          for (const { column, key } of row) values[key] = rows[done + index]?.[column as never]
        })
        await insert(db, values)
      }
    }
    await insertEach(db, done === 0 ? rows : rows.slice(done))
  }
}
