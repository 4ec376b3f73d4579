import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The least that a durable service needs of SQLite: statements prepared once, and writes that are committed in groups. */
export interface LimitStorage {
  read: (sql: string) => (...values: SQLInputValue[]) => Record<string, SQLInputValue> | undefined
  /** Resolves, with the number of rows changed by the first of them, when all are durable. */
  write(...writes: Write[]): Promise<number>
  prepareWrite(sql: string): (...values: SQLInputValue[]) => Write
}

type Write = () => number | bigint

interface Waiting {
  writes: Write[]
  resolve(changed: number): void
  reject(error: unknown): void
}

export function openLimitStorage(file: string): LimitStorage {
  const writing = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  writing.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 10000')
  const reading = new DatabaseSync(file, { readOnly: true })
  for (const connection of [writing, reading]) connection.exec('PRAGMA cache_size = -16000')

  let waiting: Waiting[] = []
  const commit = () => {
    const together = waiting
    waiting = []
    const changed: number[] = []
    try {
      writing.exec('BEGIN IMMEDIATE')
      for (const { writes } of together) changed.push(writes.map((write) => Number(write()))[0] ?? 0)
      writing.exec('COMMIT')
    } catch (error) {
      if (writing.isTransaction) writing.exec('ROLLBACK')
      for (const { reject } of together) reject(error)
      return
    }
    together.forEach(({ resolve }, at) => resolve(changed[at] ?? 0))
  }

  return {
    read(sql) {
      const statement = reading.prepare(sql)
      return (...values) => statement.get(...values)
    },
    prepareWrite(sql) {
      const statement = writing.prepare(sql)
      return (...values) =>
        () =>
          statement.run(...values).changes
    },
    write: (...writes) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(commit)
        waiting.push({ writes, resolve, reject })
      }),
  }
}
