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
  const name = `s${++count}`
  const compiled = new WeakMap<DialectAdapter, PreparedQuery>()
  const bound = new WeakMap<Db, (values: P) => Promise<Row[]>>()

  const compile = (db: Db): PreparedQuery => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known) return known
    const query = { ...build(db, ((key: string) => new Slot(key)) as Values<P>).compile(), name }
    compiled.set(adapter, query)
    return query
  }

  /** Inside a transaction, and the first time: outside of one, an engine may have a more direct way. */
  const execute = async (db: Db, values: P): Promise<Row[]> => {
    const query = compile(db)
    const bind = binders.get(db.getExecutor().adapter)
    if (!bind || db.isTransaction) {
      return (await db.executeQuery<Row>({ ...query, parameters: fill(query.parameters, values) })).rows
    }
    const run = bind(query)
    const direct = (each: P) => run(fill(query.parameters, each)) as Promise<Row[]>
    bound.set(db, direct)
    return direct(values)
  }

  return (db: Db, values: P): Promise<Row[]> => bound.get(db)?.(values) ?? execute(db, values)
}

/** Stands for a value that is known when the statement runs. */
export type Values<P> = <K extends keyof P>(key: K) => P[K]

export interface PreparedQuery extends CompiledQuery {
  name: string
}

/** An engine's direct way to a statement outside transactions, past Kysely's own pooling. What it returns never throws. */
type Binder = (query: PreparedQuery) => (parameters: unknown[]) => Promise<unknown[]>

export const bindStatementsOn = (adapter: DialectAdapter, bind: Binder): void => void binders.set(adapter, bind)

const binders = new WeakMap<DialectAdapter, Binder>()
let count = 0

class Slot {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

function fill(parameters: readonly unknown[], values: object): unknown[] {
  const filled: unknown[] = []
  for (const each of parameters) filled.push(each instanceof Slot ? values[each.key as keyof object] : each)
  return filled
}
