import type { Compilable } from 'kysely'
import type { CompiledStatement, Reader, Trx, WriteTarget } from './database.ts'

/** Stands for a value that is known when the statement runs. */
export type Values<P> = <K extends keyof P>(key: K) => P[K]

/**
 * A hot query, compiled once and run as a prepared statement. Building one with Kysely costs three to five times what
 * running it does.
 *
 *   const byHash = readStatement((db, value: Values<{ hash: string }>) =>
 *     db.selectFrom('sessions').select(['id', 'user_id']).where('token_hash', '=', value('hash')))
 *   const [row] = await byHash(db.read, { hash })
 *
 * It names its columns: PostgreSQL refuses a prepared statement whose columns are others than when it was prepared, and `select *`
 * has others as soon as a newer version has added one to the table.
 */
export function readStatement<P extends object, Row>(build: (db: Reader, value: Values<P>) => Compilable<Row>) {
  const compile = compileOnce(build)
  return (reader: Reader, values: P): Promise<Row[]> => run(compile(reader, reader), reader, values) as Promise<Row[]>
}

/**
 * The same for a query that changes something: in a transaction, or, given the database, as one of its own. `next` runs it
 * together with what follows in the transaction (`Trx.runNext`).
 */
export function writeStatement<P extends object, Row>(build: (trx: Trx, value: Values<P>) => Compilable<Row>) {
  const compile = compileOnce(build as (db: Reader, value: Values<P>) => Compilable<Row>)
  const write = (target: WriteTarget, values: P): Promise<Row[]> =>
    run(compile(target, 'read' in target ? target.read : target), target, values) as Promise<Row[]>
  const next = (trx: Trx, values: P): void => {
    const statement = compile(trx, trx)
    trx.runNext(statement, parametersOf(statement, values))
  }
  return Object.assign(write, { next })
}

/** Once for each dialect. */
function compileOnce<P extends object>(build: (db: Reader, value: Values<P>) => Compilable) {
  const name = `s${++count}`
  const compiled: Partial<Record<Reader['dialect'], CompiledStatement>> = {}
  const compile = ({ dialect }: Pick<Reader, 'dialect'>, builder: Reader): CompiledStatement =>
    (compiled[dialect] ??= { ...build(builder, placeholder as Values<P>).compile(), name })
  compilers.push((builder) => compile(builder, builder))
  return compile
}

const compilers: ((builder: Reader) => CompiledStatement)[] = []

/** The statements of all modules that are loaded. */
export const listStatements = (builder: Reader): CompiledStatement[] => compilers.map((compile) => compile(builder))

const run = (statement: CompiledStatement, on: Pick<Reader, 'run'>, values: object): Promise<unknown[]> =>
  on.run(statement, parametersOf(statement, values))

const parametersOf = ({ parameters }: CompiledStatement, values: object): unknown[] =>
  parameters.map((each) => (each instanceof Placeholder ? values[each.key as keyof object] : each))

class Placeholder {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

const placeholder = (key: string): Placeholder => new Placeholder(key)

let count = 0
