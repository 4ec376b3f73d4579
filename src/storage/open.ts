import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../errors.ts'
import { lockFile } from './file-lock.ts'
import { openPostgres } from './postgres.ts'
import type { Db } from './schema.ts'
import type { Signals } from './signals.ts'
import { openSqlite } from './sqlite.ts'

/** The database, whichever it is. Chosen here, once. */
export interface Engine {
  db: Db
  signals: Signals
  close(): Promise<void>
}

export async function openStorage(databaseUrl: string, log: Logger): Promise<Engine> {
  if (!databaseUrl.startsWith('sqlite:')) return openPostgres(databaseUrl, log)
  const file = databaseUrl.slice('sqlite:'.length)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const unlock = lockFile(file)
    const engine = openSqlite(file)
    const close = async () => {
      await engine.close()
      unlock()
    }
    return { ...engine, close }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The database file ${file} can't be opened: ${(error as Error).message}.`)
  }
}
