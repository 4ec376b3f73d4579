import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

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
