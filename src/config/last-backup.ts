import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LAST_BACKUP_FILE } from './data-files.ts'

/**
 * Notes when the last backup was made, for the metrics and for the dashboard, which reminds administrators until there is one. A
 * backup does not fail because of it.
 */
export async function markBackup(dataDir: string, at: number): Promise<void> {
  const file = join(dataDir, LAST_BACKUP_FILE)
  try {
    await writeFile(`${file}.part`, `${new Date(at).toISOString()}\n`, { mode: 0o600 })
    await rename(`${file}.part`, file)
  } catch {
    // For example a data folder that can only be read here.
  }
}

/** Undefined when there was none. */
export function findLastBackup(dataDir: string): number | undefined {
  try {
    const at = Date.parse(readFileSync(join(dataDir, LAST_BACKUP_FILE), 'utf8').trim())
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}
