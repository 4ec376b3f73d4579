import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// What is in the data folder. Backups have the same names.

export const DATABASE_FILE = 'latchkey.db'
export const SECRET_KEY_FILE = 'secret.key'
export const AVATARS_FOLDER = 'avatars'
/** Written by each backup, and no part of one: its time is that of the last backup. */
const LAST_BACKUP_FILE = 'last-backup'
/** Written by `latchkey backup --follow` alone: a nightly backup must not hide that it has stopped copying. */
const LAST_FOLLOWED_FILE = 'last-followed'

/**
 * Notes when the last backup was made, for the metrics and for the dashboard, which reminds administrators until there is one. A
 * backup does not fail because of it. It is called when what was stored has been checked.
 */
export const markBackup = (dataDir: string, at: number): Promise<void> => mark(join(dataDir, LAST_BACKUP_FILE), at)

/** The same for a copy that follows the database. */
export async function markFollowed(dataDir: string, at: number): Promise<void> {
  await markBackup(dataDir, at)
  await mark(join(dataDir, LAST_FOLLOWED_FILE), at)
}

async function mark(file: string, at: number): Promise<void> {
  try {
    await writeFile(`${file}.part`, `${new Date(at).toISOString()}\n`, { mode: 0o600 })
    await rename(`${file}.part`, file)
  } catch {
    // For example a data folder that can only be read here.
  }
}

/** Undefined when there was none. */
export const findLastBackup = (dataDir: string): number | undefined => read(join(dataDir, LAST_BACKUP_FILE))

/** Undefined when the database was never followed. */
export const findLastFollowed = (dataDir: string): number | undefined => read(join(dataDir, LAST_FOLLOWED_FILE))

function read(file: string): number | undefined {
  try {
    const at = Date.parse(readFileSync(file, 'utf8').trim())
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}
