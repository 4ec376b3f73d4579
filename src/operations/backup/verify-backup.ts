import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import { DATABASE_FILE } from '../../platform/config/data-files.ts'
import { toSqliteUrl } from '../../storage/database-url.ts'
import { restoreBackup } from './restore-backup.ts'

/**
 * Restores a backup into a temporary folder beside it, as `latchkey restore` would, and counts what is there. It proves that the files
 * are whole, that the database is, and that its keys can be decrypted.
 */
export async function verifyBackup(
  config: Config,
  { from, now, log }: { from: string; now: () => number; log: Logger },
): Promise<{ users: number; certificates: number }> {
  const folder = mkdtempSync(`${from}.verifying-`)
  try {
    const file = join(folder, DATABASE_FILE)
    const staged = { ...config, dataDir: folder, databaseUrl: toSqliteUrl(file) }
    await restoreBackup(staged, { from, keepAccess: true, now, log })
    return count(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function count(file: string): { users: number; certificates: number } {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = (table: string) => Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'])
    return { users: rows('users'), certificates: rows('ssh_certificates') }
  } finally {
    database.close()
  }
}
