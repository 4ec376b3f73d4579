import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names what the migrations make, so that a template of another version is not used. */
export const MIGRATIONS_FINGERPRINT = fingerprint(join(import.meta.dirname, '../../src/storage/migrations'))

function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted()) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}
