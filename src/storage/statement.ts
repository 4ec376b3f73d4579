import type { Compilable, CompiledQuery, DatabaseConnection, DialectAdapter } from 'kysely'
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
  type Run = (values: P) => Promise<Row[]>
  const compile = compileOnce((db) => build(db, named as Values<P>))
  const bound = new WeakMap<Db, Run>()

  const runInside = async (db: Db, values: P): Promise<Row[]> => {
    const query = compile(db)
    const parameters = fill(query.parameters, values)
    const run = connected.get(db) ?? (await connectInside(db))
    if (run) return run(query, parameters) as Row[]
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }

  const bindOutside = (db: Db): Run => {
    const query = compile(db)
    const execute = waysOf(db).outside(query)
    const run: Run = (values) => execute(fill(query.parameters, values)) as Promise<Row[]>
    bound.set(db, run)
    return run
  }

  return (db: Db, values: P): Promise<Row[]> =>
    db.isTransaction ? runInside(db, values) : (bound.get(db) ?? bindOutside(db))(values)
}

/** Once an engine. */
function compileOnce(build: (db: Db) => Compilable): (db: Db) => PreparedQuery {
  const name = `s${++count}`
  const compiled = new WeakMap<DialectAdapter, PreparedQuery>()
  return (db) => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known) return known
    const query = { ...build(db).compile(), name }
    compiled.set(adapter, query)
    return query
  }
}

const named = (key: string): Slot => new Slot(key)

/** Stands for a value that is known when the statement runs. */
export type Values<P> = <K extends keyof P>(key: K) => P[K]

export interface PreparedQuery extends CompiledQuery {
  name: string
}

/** An engine's direct ways to run a statement, past Kysely's own pooling and queueing. */
export interface DirectWays {
  outside(query: PreparedQuery): (parameters: unknown[]) => Promise<unknown[]>
  /** On a transaction's connection; it must notice itself when the transaction is over. */
  inside?(connection: DatabaseConnection): (query: PreparedQuery, parameters: unknown[]) => unknown[]
}

export const openDirectWays = (adapter: DialectAdapter, ways: DirectWays): void => void engines.set(adapter, ways)

const engines = new WeakMap<DialectAdapter, DirectWays>()
const connected = new WeakMap<Db, ReturnType<NonNullable<DirectWays['inside']>>>()
let count = 0

function waysOf(db: Db): DirectWays {
  const ways = engines.get(db.getExecutor().adapter)
  if (!ways) throw new Error('This engine has not said how it runs statements.')
  return ways
}

async function connectInside(trx: Db) {
  const inside = waysOf(trx).inside
  if (!inside) return undefined
  const run = await trx.getExecutor().provideConnection(async (connection) => inside(connection))
  connected.set(trx, run)
  return run
}

class Slot {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

const fill = (parameters: readonly unknown[], values: object): unknown[] =>
  parameters.map((each) => (each instanceof Slot ? values[each.key as keyof object] : each))
