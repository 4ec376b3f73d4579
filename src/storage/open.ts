import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../errors.ts'
import { sqliteFileOf } from './database-url.ts'
import type { Engine } from './database.ts'
import { makeFolder } from './durable-files.ts'
import { isUnavailable, isUnwritable } from './failure.ts'
import { isOlder, migrate } from './migrate.ts'
import type { PostgresOptions } from './postgres/engine.ts'
import { createPrivately } from './sqlite/connection.ts'
import { openSqlite } from './sqlite/engine.ts'
import { keepLock, lockFile } from './sqlite/file-lock.ts'

interface OpenOptions extends PostgresOptions {
  /** Called when a SQLite file of an older version is about to be changed. A failure leaves the file as it is. */
  beforeMigration?: (() => Promise<void>) | undefined
  /** Called when another process has come to work on the same SQLite file. From then on nothing is written. */
  onTaken?: (() => void) | undefined
}

/** Opens the database and applies the migrations that are missing. */
export async function openStorage(
  databaseUrl: string,
  log: Logger,
  now: number,
  { beforeMigration, onTaken, ...postgres }: OpenOptions = {},
): Promise<Engine> {
  const file = sqliteFileOf(databaseUrl)
  if (file === undefined) {
    const { openPostgres } = await import('./postgres/engine.ts')
    return openPostgres(databaseUrl, log, now, postgres)
  }
  const engine = await openFile(file, { log, onTaken })
  try {
    if (beforeMigration && (await isOlder(engine.kysely))) await beforeMigration()
    await migrate(engine.kysely, now)
    return engine
  } catch (error) {
    await engine.close()
    if (!isUnavailable(error)) throw error
    if (isUnwritable(error))
      throw new StartError(`The database file ${file} can't be written. Is the disk full, or is it read-only?`)
    throw new StartError(`The database file ${file} is locked by another program. Close that program, and start again.`)
  }
}

async function openFile(
  file: string,
  { log, onTaken }: { log: Logger } & Pick<OpenOptions, 'onTaken'>,
): Promise<Engine> {
  let lock: { release(): void } | undefined
  try {
    makeFolder(dirname(file))
    const taken = (lock = await lockFile(file))
    createPrivately(file)
    const kept = (lock = keepLock(taken, { file, log, onTaken }))
    return openSqlite(file, log, kept)
  } catch (error) {
    lock?.release()
    if (error instanceof StartError) throw error
    throw new StartError(`The database file ${file} can't be opened: ${(error as Error).message}.`)
  }
}
