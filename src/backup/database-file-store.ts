import { backup, DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

const PAGES_PER_STEP = 10_000

/** The database file as it was at one moment, read while the service may be writing. */
export interface Snapshot {
  /** The names of the migrations that were applied. */
  migrations(): string[]
  /** The version of each avatar that an account refers to. */
  avatars(): { userId: string; version: string }[]
  /** Continues with the state of a later moment. */
  restart(): void
  copyTo(file: string): Promise<void>
  close(): void
}

export function openSnapshot(file: string): Snapshot {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  // The first read fixes the moment. Without it every commit of the service would make the backup start again.
  const begin = (): string[] => {
    source.exec('BEGIN')
    const rows = source.prepare('SELECT name FROM schema_migrations ORDER BY name').all()
    return rows.map(({ name }) => String(name))
  }
  let migrations: string[]
  try {
    migrations = begin()
  } catch (error) {
    source.close()
    throw error
  }
  return {
    migrations: () => migrations,
    avatars() {
      const rows = source.prepare('SELECT id, avatar_version FROM users WHERE avatar_version IS NOT NULL').all()
      return rows.map((row) => ({ userId: String(row['id']), version: String(row['avatar_version']) }))
    },
    restart() {
      source.exec('ROLLBACK')
      migrations = begin()
    },
    async copyTo(to) {
      await backup(source, to, { rate: PAGES_PER_STEP })
    },
    close: () => source.close(),
  }
}

/** Turns a backup of the database into a single file without a log, and checks every page of it. */
export function checkDatabase(file: string): void {
  let problem: unknown
  try {
    const database = new DatabaseSync(file)
    try {
      database.exec('PRAGMA journal_mode = DELETE')
      problem = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    } finally {
      database.close()
    }
  } catch (error) {
    problem = (error as Error).message
  }
  if (problem !== 'ok') throw new StartError(`The database ${file} is damaged: ${String(problem)}`)
}
