import { backup, DatabaseSync } from 'node:sqlite'
import { StartError } from '../../errors.ts'
import { clientOwner, pictureName } from '../../platform/pictures/picture-store.ts'

const PAGES_PER_STEP = 10_000

/** The database file as it was at one moment, read while the service may be writing. */
export interface Snapshot {
  /** The names of the migrations that were applied. */
  migrations(): string[]
  /** The names of all pictures that an account or a client refers to. */
  pictures(): string[]
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
    pictures: () => [...listAvatars(source), ...listLogos(source)],
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

const listAvatars = (source: DatabaseSync): string[] =>
  source
    .prepare('SELECT id, avatar_version FROM users WHERE avatar_version IS NOT NULL')
    .all()
    .map((row) => pictureName(String(row['id']), String(row['avatar_version'])))

/** A database that an older version has made has none. */
const listLogos = (source: DatabaseSync): string[] =>
  source.prepare("SELECT 1 FROM pragma_table_info('oauth_clients') WHERE name = 'logo_version'").get() === undefined
    ? []
    : source
        .prepare('SELECT client_id, logo_version FROM oauth_clients WHERE logo_version IS NOT NULL')
        .all()
        .map((row) => pictureName(clientOwner(String(row['client_id'])), String(row['logo_version'])))

/** Turns a backup of the database into a single file without a log, and checks every page of it, and that it is one of ours. */
export function checkDatabase(file: string): void {
  let problem: unknown
  try {
    const database = new DatabaseSync(file)
    try {
      database.exec('PRAGMA journal_mode = DELETE')
      problem = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
      // To SQLite an empty file is a database without tables.
      database.prepare('SELECT 1 FROM schema_migrations').get()
    } finally {
      database.close()
    }
  } catch (error) {
    problem = (error as Error).message
  }
  if (problem !== 'ok') throw new StartError(`The database ${file} is damaged: ${String(problem)}`)
}
