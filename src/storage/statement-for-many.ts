import type { Compilable } from 'kysely'
import type { Db } from './schema.ts'
import { statementWithList, type Values } from './statement.ts'

/** A list of any length fits into statements of these sizes; the last one is filled up with what it holds already. */
const SIZES = [1, 4, 16, 64]
const LARGEST = 64

/**
 * A prepared statement about a list of ids: one for a whole batch, instead of one for each id of it.
 *
 *   const named = statementForMany((db, ids) => db.selectFrom('users').select('id').where('id', 'in', ids))
 *   const rows = await named(db, userIds, {})
 *
 * Lists that are longer than the largest size take several statements, in the order of the list.
 */
export function statementForMany<P extends object, Row>(
  build: (db: Db, ids: string[], value: Values<P>) => Compilable<Row>,
): (db: Db, ids: readonly string[], values: P) => Promise<Row[]> {
  const prepared = SIZES.map((size) => ({ size, run: statementWithList(size, build) }))

  return async (db, ids, values) => {
    const found: Row[] = []
    for (let at = 0; at < ids.length; at += LARGEST) {
      const some = ids.slice(at, at + LARGEST)
      const fitting = prepared.find(({ size }) => size >= some.length)
      if (!fitting) throw new Error('No statement is that large.')
      while (some.length < fitting.size) some.push(some[0] ?? '')
      found.push(...(await fitting.run(db, values, some)))
    }
    return found
  }
}
