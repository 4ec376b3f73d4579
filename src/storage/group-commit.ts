import type { DatabaseSync } from 'node:sqlite'

/**
 * SQLite's single writer. Writes that arrive together are committed together, so that a durable commit (one sync of the
 * disk) is paid once a batch and not once a request. Nobody is answered before the commit that holds their write.
 *
 * A turn is one statement or one whole transaction. A failing turn is undone alone: SQLite undoes a failing statement
 * by itself, and a transaction runs inside a savepoint.
 */
export interface Writer {
  /** Runs one statement and resolves when it is durable. */
  write<T>(run: () => T): Promise<T>
  /** Resolves when this transaction has the connection to itself. */
  begin(): Promise<Transaction>
  /** Runs once the batch in progress is durable, or at once if there is none. */
  afterCommit(task: () => void): void
  /** Resolves when everything asked so far is durable. */
  drained(): Promise<void>
}

export interface Transaction {
  commit(): Promise<void>
  rollback(): void
}

interface Turn {
  run(): void | Promise<void>
  committed(): void
  failed(error: unknown): void
}

/** Bounds how long one batch keeps the event loop. */
const MOST_TURNS = 256

export function createWriter(connection: DatabaseSync, translate: (error: unknown) => unknown): Writer {
  const waiting: Turn[] = []
  const idle: (() => void)[] = []
  let tasks: (() => void)[] = []
  let busy = false

  const enqueue = (turn: Turn) => {
    waiting.push(turn)
    if (busy) return
    busy = true
    setImmediate(nextBatch)
  }

  const nextBatch = () => {
    void commitTogether(waiting.splice(0, MOST_TURNS)).then(() => {
      if (waiting.length > 0) return setImmediate(nextBatch)
      busy = false
      return idle.splice(0).forEach((resolve) => resolve())
    })
  }

  /** Never rejects: whatever goes wrong is told to the turns it happened to. */
  async function commitTogether(turns: Turn[]): Promise<void> {
    const done: Turn[] = []
    try {
      connection.exec('BEGIN IMMEDIATE')
      for (const turn of turns) {
        try {
          const running = turn.run()
          if (running) await running
          done.push(turn)
        } catch (error) {
          // A full disk or an I/O error makes SQLite undo the whole transaction, not the statement alone.
          if (!connection.isTransaction) throw error
          turn.failed(translate(error))
        }
      }
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK')
      tasks = []
      // Telling a turn twice does no harm: its promise is settled once.
      for (const turn of turns) turn.failed(translate(error))
      return
    }
    const after = tasks
    tasks = []
    for (const turn of done) turn.committed()
    for (const task of after) task()
  }

  return {
    write: <T>(run: () => T) =>
      new Promise<T>((resolve, reject) => {
        let result: T
        enqueue({
          run: () => {
            result = run()
          },
          committed: () => resolve(result),
          failed: reject,
        })
      }),

    begin: () =>
      new Promise<Transaction>((started, refused) => {
        const durable = Promise.withResolvers<void>()
        // A transaction that was rolled back has nobody waiting for its commit.
        durable.promise.catch(() => {})
        enqueue({
          run: () => {
            connection.exec('SAVEPOINT turn')
            const { promise: over, resolve: end, reject: abort } = Promise.withResolvers<void>()
            started({
              commit() {
                try {
                  connection.exec('RELEASE turn')
                  end()
                } catch (error) {
                  abort(error)
                }
                return durable.promise
              },
              rollback() {
                try {
                  connection.exec('ROLLBACK TO turn; RELEASE turn')
                  end()
                } catch (error) {
                  abort(error)
                }
              },
            })
            return over
          },
          committed: durable.resolve,
          failed: (error) => {
            refused(error)
            durable.reject(error)
          },
        })
      }),

    afterCommit(task) {
      if (busy) tasks.push(task)
      else task()
    },

    drained: () => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}
