import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

const SCHEME = 'sqlite:'

/** DATABASE_URL for a SQLite file. */
export const toSqliteUrl = (file: string): string => `${SCHEME}${file}`

/** Whether DATABASE_URL names a SQLite file. Otherwise it names a PostgreSQL database. */
export const isSqliteUrl = (databaseUrl: string): boolean => databaseUrl.startsWith(SCHEME)

/** The path of the SQLite file; undefined for a PostgreSQL database. */
export const sqliteFileOf = (databaseUrl: string): string | undefined =>
  isSqliteUrl(databaseUrl) ? databaseUrl.slice(SCHEME.length) : undefined

/** A table that every version of Latchkey has and hardly any other program does. */
export const OWN_TABLE = 'service_keys'

/** Refuses when there is no database of Latchkey. It only reads, and creates nothing. */
export async function refuseWithoutDatabase(databaseUrl: string): Promise<void> {
  const file = sqliteFileOf(databaseUrl)
  if (file !== undefined) {
    if (fileHasTables(file)) return
    throw new StartError(
      `There is no database at ${file}. Only the service makes one: run this where its settings are, or set DATA_DIR as it has it.`,
    )
  }
  // Its driver is loaded only where it is used.
  const { hasTables } = await import('./postgres/start.ts')
  if (await hasTables(databaseUrl)) return
  const { host, pathname } = new URL(databaseUrl)
  throw new StartError(
    `There is no database of Latchkey in ${host}${pathname}: its tables are not there. Only the service makes them; check DATABASE_URL.`,
  )
}

function fileHasTables(file: string): boolean {
  if (!existsSync(file)) return false
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(OWN_TABLE) !== undefined
  } catch (error) {
    throw new StartError(`The database file ${file} can't be opened: ${(error as Error).message}.`)
  } finally {
    database?.close()
  }
}
