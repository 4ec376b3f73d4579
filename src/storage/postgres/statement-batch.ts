import pg from 'pg'
import { isStale, unlessOfServer } from './errors.ts'

/** Made by `queryOf`. */
export interface Query {
  /** With a name it is prepared once on each connection. */
  name: string
  text: string
  values: (string | Buffer | null)[]
}

/** Throws for a value that is no parameter, before anything is sent. */
export const queryOf = (text: string, values: readonly unknown[], name = ''): Query => ({
  name,
  text,
  values: values.map(toParameter),
})

export interface Answer {
  rows: object[]
  /** What the server says was done: `INSERT 0 1`. */
  tag: string
}

/** The answers of all statements, or of those before the one that failed. */
export interface Outcome {
  answers: Answer[]
  /** Either the server's own, or a failure because the connection is lost. */
  error?: unknown
}

/**
 * Sends statements together, and resolves when the server has answered all of them. The server sends its answers together
 * too, so that this process is woken up once. Outside of a transaction they are one: all are committed or none. After one that
 * fails, the server skips the others. Never rejects.
 */
export type SendBatch = (client: pg.ClientBase, queries: readonly Query[]) => Promise<Outcome>

/** For all connections to one database. */
export function createBatchSender(): SendBatch {
  const prepared = createPreparedStatements()
  return (client, queries) => new Promise((resolve) => client.query(new Batch(queries, prepared, resolve)))
}

/** How the rows of a prepared statement are read. */
interface Columns {
  names: string[]
  parsers: ((text: string) => unknown)[]
  /** Has all names, so that all rows have the same hidden class. */
  empty: Record<string, unknown>
}

/** The statements that were prepared on each connection, by name. */
interface PreparedStatements {
  on(connection: pg.Connection): Map<string, Columns>
  /**
   * From now on each is prepared again before it is used. When the server refuses a statement because its columns have changed, those of
   * other statements, and on other connections, have changed with them.
   */
  expire(): void
}

function createPreparedStatements(): PreparedStatements {
  let byConnection = new WeakMap<pg.Connection, Map<string, Columns>>()
  return {
    on(connection) {
      let statements = byConnection.get(connection)
      if (!statements) byConnection.set(connection, (statements = new Map()))
      return statements
    },
    expire() {
      byConnection = new WeakMap()
    },
  }
}

const NO_COLUMNS: Columns = { names: [], parsers: [], empty: {} }

type Connection = pg.Connection & {
  parse(query: { name: string; text: string }): void
  bind(config: { statement: string; values: Query['values'] }): void
  describe(message: { type: 'S'; name: string }): void
  execute(config: object): void
  close(message: { type: 'S'; name: string }): void
  sendCopyFail(why: string): void
}

interface Messages {
  rowDescription: { fields: Pick<pg.FieldDef, 'name' | 'dataTypeID'>[] }
  dataRow: { fields: (string | null)[] }
  commandComplete: { text: string }
}

const NOT_ASKED_FOR = 'The server has answered with something that was not asked for.'

/**
 * The statements of a `SendBatch`, as the driver's interface for queries of other classes (`pg.Submittable`). Unlike the
 * driver's own it sends one Sync for all of them, and asks for the columns of a statement only when it prepares it: the
 * server refuses a prepared statement whose columns have changed. The driver calls it within the listener of its socket, so that it must
 * not throw, whatever the server sends.
 */
export class Batch implements pg.Submittable {
  readonly queries: readonly Query[]
  readonly #statements: PreparedStatements
  readonly #answers: Answer[] = []
  /** Why the connection can't be used any more, nor the answers from this one on. */
  #unusable: { from: number; error: unknown } | undefined
  #prepared: Map<string, Columns> = new Map()
  #columns: Columns = NO_COLUMNS
  #rows: object[] = []
  /** The driver calls it at the end, also after its own time limit. */
  callback: (error: unknown) => void

  constructor(queries: readonly Query[], statements: PreparedStatements, done: (outcome: Outcome) => void) {
    this.queries = queries
    this.#statements = statements
    this.callback = (given) => {
      const answers = this.#answers.slice(0, this.#unusable?.from)
      const error = this.#unusable?.error ?? given
      done(error ? { answers, error: unlessOfServer(error) } : { answers })
    }
  }

  submit(given: pg.Connection): void {
    const connection = given as Connection
    const prepared = this.#statements.on(connection)
    this.#prepared = prepared
    const preparing = new Set<string>()
    connection.stream.cork()
    for (const { name, text, values } of this.queries) {
      if (name === '' || !(prepared.has(name) || preparing.has(name))) {
        // It may be prepared already, if it has failed before or has expired.
        if (name !== '') connection.close({ type: 'S', name })
        connection.parse({ name, text })
        connection.describe({ type: 'S', name })
        preparing.add(name)
      }
      connection.bind({ statement: name, values })
      connection.execute({})
    }
    connection.sync()
    connection.stream.uncork()
    this.#begin()
  }

  /** The next statement is about to be answered. */
  #begin(): void {
    this.#columns = this.#prepared.get(this.queries[this.#answers.length]?.name ?? '') ?? NO_COLUMNS
    this.#rows = []
  }

  handleRowDescription({ fields }: Messages['rowDescription']): void {
    const empty: Record<string, unknown> = {}
    for (const { name } of fields) empty[name] = null
    this.#columns = { names: fields.map(({ name }) => name), parsers: fields.map(parserOf), empty }
  }

  handleDataRow({ fields }: Messages['dataRow']): void {
    const { names, parsers, empty } = this.#columns
    const row = { ...empty }
    try {
      for (let at = 0; at < names.length; at++) {
        const text = fields[at]
        if (typeof text === 'string') row[names[at] as string] = parsers[at]?.(text)
      }
    } catch (error) {
      this.#unexpected(error)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: Messages['commandComplete']): void {
    const { name = '' } = this.queries[this.#answers.length] ?? {}
    if (name !== '' && !this.#prepared.has(name)) this.#prepared.set(name, this.#columns)
    this.#answers.push({ rows: this.#rows, tag: text })
    this.#begin()
  }

  handleReadyForQuery(): void {
    if (this.#answers.length !== this.queries.length) this.#unexpected()
    this.callback(null)
  }

  handleError(error: unknown): void {
    if (isStale(error)) this.#statements.expire()
    this.callback(error)
  }

  // No statement of ours is answered with one of these. The driver would call them, if the server sent it.
  handleEmptyQuery(): void {
    this.#unexpected()
  }
  handlePortalSuspended(): void {
    this.#unexpected()
  }
  handleCopyData(): void {
    this.#unexpected()
  }
  handleCopyInResponse(given: pg.Connection): void {
    const connection = given as Connection
    connection.sendCopyFail(NOT_ASKED_FOR)
    // The server has ignored the Sync that was sent already (PostgreSQL manual, message flow of COPY).
    connection.sync()
  }

  #unexpected(error: unknown = new Error(NOT_ASKED_FOR)): void {
    this.#unusable ??= { from: this.#answers.length, error }
  }
}

const INT8: number = pg.types.builtins.INT8

/** 64-bit integers here are times and counts below 2^53. Certificate serials are read as text. */
const parserOf = ({ dataTypeID }: { dataTypeID: number }): ((text: string) => unknown) =>
  dataTypeID === INT8 ? Number : pg.types.getTypeParser(dataTypeID, 'text')

function toParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value
  throw new TypeError('A parameter is neither text, number nor truth value.')
}
