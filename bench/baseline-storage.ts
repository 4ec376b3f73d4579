import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The minimum that a durable service needs of SQLite: statements prepared once, and group commit. */
export interface BaselineStorage {
  read: (sql: string) => (...values: SQLInputValue[]) => Record<string, SQLInputValue> | undefined
  /** Resolves when all writes are durable, with the number of rows that the first one changed. */
  write(...writes: Write[]): Promise<number>
  prepareWrite(sql: string): (...values: SQLInputValue[]) => Write
}

type Write = () => number | bigint

interface QueuedWrite {
  writes: Write[]
  resolve(changed: number): void
  reject(error: unknown): void
}

export function openBaselineStorage(file: string): BaselineStorage {
  const writer = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 10000')
  const reader = new DatabaseSync(file, { readOnly: true })
  for (const connection of [writer, reader]) connection.exec('PRAGMA cache_size = -16000')

  let queue: QueuedWrite[] = []
  const commit = () => {
    const batch = queue
    queue = []
    const changed: number[] = []
    try {
      writer.exec('BEGIN IMMEDIATE')
      for (const { writes } of batch) changed.push(writes.map((write) => Number(write()))[0] ?? 0)
      writer.exec('COMMIT')
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK')
      for (const { reject } of batch) reject(error)
      return
    }
    batch.forEach(({ resolve }, at) => resolve(changed[at] ?? 0))
  }

  return {
    read(sql) {
      const statement = reader.prepare(sql)
      return (...values) => statement.get(...values)
    },
    prepareWrite(sql) {
      const statement = writer.prepare(sql)
      return (...values) =>
        () =>
          statement.run(...values).changes
    },
    write: (...writes) =>
      new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(commit)
        queue.push({ writes, resolve, reject })
      }),
  }
}
