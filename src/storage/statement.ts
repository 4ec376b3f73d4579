import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely'
import type { Db } from './schema.ts'

/**
 * Hot queries are compiled once an engine and run as prepared statements. Building one with Kysely costs three to five
 * times what running it does.
 *
 *   const byHash = statement((db, value: Values<{ hash: string }>) =>
 *     db.selectFrom('sessions').selectAll().where('token_hash', '=', value('hash')))
 *   const [row] = await byHash(db, { hash })
 */
export function statement<P extends object, Row>(build: (db: Db, value: Values<P>) => Compilable<Row>) {
  const compiled = new WeakMap<DialectAdapter, PreparedQuery>()
  const name = `s${++count}`

  const prepare = (db: Db, adapter: DialectAdapter): PreparedQuery => {
    const query = build(db, ((key: string) => new Slot(key)) as Values<P>).compile()
    const prepared = { ...query, name }
    compiled.set(adapter, prepared)
    return prepared
  }

  return async (db: Db, values: P): Promise<Row[]> => {
    const { adapter } = db.getExecutor()
    const query = compiled.get(adapter) ?? prepare(db, adapter)
    const parameters = query.parameters.map((each) => (each instanceof Slot ? values[each.key as keyof P] : each))
    const run = runners.get(adapter)
    if (run && !db.isTransaction) return (await run(query, parameters)) as Row[]
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}

/** Stands for a value that is known when the statement runs. */
export type Values<P> = <K extends keyof P>(key: K) => P[K]

export interface PreparedQuery extends CompiledQuery {
  name: string
}

/** An engine's direct way to run a prepared statement outside a transaction, past Kysely's own pooling. */
type Runner = (query: PreparedQuery, parameters: unknown[]) => Promise<unknown[]>

export const runStatementsOn = (adapter: DialectAdapter, runner: Runner): void => void runners.set(adapter, runner)

const runners = new WeakMap<DialectAdapter, Runner>()
let count = 0

class Slot {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}
