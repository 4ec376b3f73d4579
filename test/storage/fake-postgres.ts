import { EventEmitter } from 'node:events'
import type fc from 'fast-check'
import pg from 'pg'
import type { Connections } from '../../src/storage/postgres/pool.ts'
import { type Batch, createBatchSender, queryOf } from '../../src/storage/postgres/statement-batch.ts'

/** What happens to one batch that the server gets, or to one attempt to connect. */
export type Fault =
  | 'none'
  /** The connection is lost before or after the server has done it. */
  | 'lost before'
  | 'lost after'
  /** The driver waits for too long. The server does it later. */
  | 'unanswered'
  /** A message that does not belong to any statement. */
  | 'unexpected'
  /** The server ends its second half by an error of this code. */
  | '23505'
  | '40P01'
  | '57014'
  | '53300'
  /** The same for its first, which may be the BEGIN. */
  | '53200'

export const FAULTS: readonly Fault[] = [
  ...(['none', 'none', 'none', 'lost before', 'lost after', 'unanswered', 'unexpected'] as const),
  ...(['23505', '40P01', '57014', '53300', '53200', '53200'] as const),
]

/** Adds one to a counter, unless somebody has locked the row. */
export const addTo = (id: string, row: string) => queryOf('add', [id, row], 's1')
/** Answers with the id. */
export const readOf = (id: string, row: string) => queryOf('read', [id, row], 's2')

type Message =
  | { is: 'parse'; name: string; text: string }
  | { is: 'bind'; statement: string; values: string[] }
  | { is: 'describe' | 'execute' }
  | { is: 'close'; name: string }

class ServerError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type Counters = Map<string, number>

/**
 * As much of a PostgreSQL as this service relies on: prepared statements whose columns may change, one transaction for each Sync,
 * transactions that have failed, rows that are locked. Each answer, and each new connection, comes when the scheduler says so.
 */
export function createFakePostgres(s: fc.Scheduler, given: readonly Fault[]) {
  const faults = [...given]
  const counters: Counters = new Map()
  const locked = new Set<string>()
  const sessions = new Set<FakeClient>()
  const violations: string[] = []
  let columns = 1
  const nextFault = (): Fault => faults.shift() ?? 'none'

  class FakeClient extends EventEmitter {
    readonly connection = Object.assign(new EventEmitter(), {
      stream: { destroyed: false, cork() {}, uncork() {}, destroy: () => this.lose() },
    })
    #isOpen = false
    #prepared = new Map<string, { text: string; columns: number }>()
    #messages: Message[] = []
    #active: Batch | undefined
    /** Of the transaction that is open. */
    #changes: Counters | undefined
    #isFailed = false
    /** How often it was given back to its pool. */
    releases = 0

    async connect(): Promise<void> {
      await s.schedule(Promise.resolve(), 'connect')
      if (nextFault().startsWith('lost')) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      this.#isOpen = true
      sessions.add(this)
    }
    query(query: Batch | { text: string }): unknown {
      // The first message of a session.
      if (!('submit' in query)) return Promise.resolve([{ rows: [{ isReadOnly: false, id: '1' }] }])
      if (!this.#isOpen) return process.nextTick(() => this.#tell(() => query.handleError(new Error('not queryable'))))
      if (this.#active) violations.push('a batch is sent while another one is not answered')
      this.#active = query
      this.#messages = []
      const take = (message: Message) => void this.#messages.push(message)
      Object.assign(this.connection, {
        parse: (message: { name: string; text: string }) => take({ is: 'parse', ...message }),
        bind: (message: { statement: string; values: string[] }) => take({ is: 'bind', ...message }),
        describe: () => take({ is: 'describe' }),
        execute: () => take({ is: 'execute' }),
        close: ({ name }: { name: string }) => take({ is: 'close', name }),
        sync: () => void s.schedule(Promise.resolve(), 'answer').then(() => this.#answer(query)),
      })
      query.submit(this.connection as never)
      return query
    }
    release(destroy?: unknown): void {
      this.releases++
      if (destroy) this.lose()
      else if (this.#isOpen) idle.push(this)
    }
    async end(): Promise<void> {
      this.lose()
    }
    lose(): void {
      if (this.connection.stream.destroyed) return
      this.#isOpen = false
      sessions.delete(this)
      this.connection.stream.destroyed = true
      const active = this.#active
      this.#active = undefined
      if (active) this.#tell(() => active.handleError(new Error('Connection terminated unexpectedly')))
      this.connection.emit('end')
      this.emit('end')
    }
    forget(): void {
      this.#prepared.clear()
    }

    /** The driver calls it in the listener of its socket, where nothing may be thrown. */
    #tell(handle: () => void): void {
      try {
        handle()
      } catch (error) {
        violations.push(`thrown in the listener of the socket: ${String(error)}`)
      }
    }
    #answer(batch: Batch): void {
      if (this.#active !== batch) return
      const fault = nextFault()
      if (fault === 'lost before') return this.lose()
      if (fault === 'unanswered') {
        // As the driver does it.
        const { callback } = batch
        batch.callback = () => {}
        callback(new Error('Query read timeout'))
        void s.schedule(Promise.resolve(), 'late answer').then(() => {
          if (this.#active !== batch) return
          this.#process(batch, 'none')
          this.#active = undefined
          this.emit('drain')
        })
        return
      }
      const answers = this.#process(batch, fault)
      if (fault === 'lost after') return this.lose()
      this.#active = undefined
      for (const answer of answers) this.#tell(answer)
    }
    /** Does what the messages say, and returns the answers. */
    #process(batch: Batch, fault: Fault): (() => void)[] {
      const answers: (() => void)[] = []
      const implicit: Counters = new Map()
      const failAt = fault === '53200' ? 0 : /^\d/.test(fault) ? Math.floor(batch.queries.length / 2) : Infinity
      let bound: { text: string; values: string[] } | undefined
      let executed = 0
      try {
        for (const message of this.#messages) {
          if (message.is === 'parse') this.#prepared.set(message.name, { text: message.text, columns })
          else if (message.is === 'close') this.#prepared.delete(message.name)
          else if (message.is === 'bind') {
            const statement = this.#prepared.get(message.statement)
            if (!statement) throw new ServerError('26000')
            if (statement.columns !== columns && !CONTROL.test(statement.text)) throw new ServerError('0A000')
            bound = { text: statement.text, values: message.values }
          } else if (message.is === 'describe')
            answers.push(() => batch.handleRowDescription({ fields: fieldsOf(columnNames()) }))
          else if (bound) {
            if (executed++ === failAt && !ENDS.test(bound.text)) throw new ServerError(fault)
            answers.push(...this.#execute(batch, bound, implicit))
          }
        }
      } catch (error) {
        if (!(error instanceof ServerError)) throw error
        if (this.#changes) this.#isFailed = true
        const failure = Object.assign(new pg.DatabaseError(error.code, 0, 'error'), { code: error.code })
        return [...answers, () => batch.handleError(failure)]
      }
      for (const [id, count] of implicit) counters.set(id, (counters.get(id) ?? 0) + count)
      if (fault === 'unexpected') answers.push(() => batch.handleEmptyQuery())
      return [...answers, () => batch.handleReadyForQuery()]
    }
    #execute(
      batch: Batch,
      { text, values: [id = '', row = ''] }: { text: string; values: string[] },
      implicit: Counters,
    ) {
      const complete = (tag: string) => () => batch.handleCommandComplete({ text: tag })
      if (text === 'begin') {
        this.#changes = new Map()
        return [complete('BEGIN')]
      }
      if (text === 'commit' || text === 'rollback') {
        const keeps = text === 'commit' && !this.#isFailed
        if (keeps)
          for (const [each, count] of this.#changes ?? []) counters.set(each, (counters.get(each) ?? 0) + count)
        this.#changes = undefined
        this.#isFailed = false
        return [complete(keeps ? 'COMMIT' : 'ROLLBACK')]
      }
      if (this.#isFailed) throw new ServerError('25P02')
      if (locked.has(row)) throw new ServerError('55P03')
      const changes = this.#changes ?? implicit
      if (text === 'add') changes.set(id, (changes.get(id) ?? 0) + 1)
      const fields = columnNames().map((_, at) => (at === 0 ? id : 'x'))
      return [() => batch.handleDataRow({ fields }), complete('SELECT 1')]
    }
  }
  const columnNames = () => ['id', ...Array.from({ length: columns }, (_, at) => `c${at}`)]

  const idle: FakeClient[] = []
  const pooled = new Set<FakeClient>()
  const pool = {
    waitingCount: 0,
    async connect() {
      let client = idle.pop()
      while (client?.connection.stream.destroyed) client = idle.pop()
      if (!client) await (client = new FakeClient()).connect()
      pooled.add(client)
      client.releases--
      return client
    },
  }
  const send = createBatchSender()
  return {
    counters,
    locked,
    violations,
    send,
    /** With the one sender of an engine. */
    connections: (abandoned?: Connections['abandoned']) => ({ pool, send, abandoned }) as unknown as Connections,
    createClient: () => new FakeClient() as unknown as pg.Client,
    addColumn: () => void columns++,
    /** As a program between service and server does that ends prepared statements. */
    forget: () => sessions.forEach((session) => session.forget()),
    loseAll: () => [...sessions].forEach((session) => session.lose()),
    /** Those that were taken from the pool and not given back. */
    taken: () => [...pooled].filter(({ releases }) => releases < 0).length,
  }
}

const CONTROL = /^(begin|commit|rollback)$/
const ENDS = /^(commit|rollback)$/
const TEXT = 25
const fieldsOf = (names: string[]) => names.map((name) => ({ name, dataTypeID: TEXT }))
