import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { isUnavailable } from './failure.ts'
import { lockFile } from './file-lock.ts'
import { makeFolder } from './make-folder.ts'
import { isOlder, migrate } from './migrate.ts'
import { sqliteFileOf } from './sqlite-url.ts'
import { openSqlite } from './sqlite.ts'

interface OpenOptions {
  /** Multiplies the time limits for PostgreSQL. */
  timeoutFactor?: number | undefined
  /** Called when a SQLite file of an older version is about to be changed. A failure leaves the file as it is. */
  beforeMigration?: (() => Promise<void>) | undefined
}

/** Opens the database and applies the migrations that are missing. */
export async function openStorage(
  databaseUrl: string,
  log: Logger,
  now: number,
  { timeoutFactor = 1, beforeMigration }: OpenOptions = {},
): Promise<Engine> {
  const file = sqliteFileOf(databaseUrl)
  if (file === undefined) {
    const { openPostgres } = await import('./postgres.ts')
    return openPostgres(databaseUrl, log, now, timeoutFactor)
  }
  const { unlock, ...engine } = openFile(file)
  const close = async () => {
    await engine.close()
    unlock()
  }
  try {
    if (beforeMigration && (await isOlder(engine.kysely))) await beforeMigration()
    await migrate(engine.kysely, now)
    return { ...engine, close }
  } catch (error) {
    await close()
    if (!isUnavailable(error)) throw error
    throw new StartError(`The database file ${file} is locked by another program. Close that program, and start again.`)
  }
}

function openFile(file: string): Engine & { unlock(): void } {
  try {
    makeFolder(dirname(file))
    const unlock = lockFile(file)
    return { ...openSqlite(file), unlock }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The database file ${file} can't be opened: ${(error as Error).message}.`)
  }
}
