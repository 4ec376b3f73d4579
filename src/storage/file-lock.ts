import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

/**
 * One process at a time works on a SQLite file: its caches would go stale if a second one wrote. The lock is an open
 * exclusive transaction on a file beside it, which ends with its process, however that ends.
 */
export function lockFile(file: string): () => void {
  const lock = new DatabaseSync(`${file}.lock`)
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new StartError(`Another Latchkey is already running on ${file}. Stop it, or set DATA_DIR to another folder.`)
  }
  return () => lock.close()
}
