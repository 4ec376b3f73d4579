import { resolve } from 'node:path'
import type { SettingsSource } from '../config/config.ts'
import { StartError } from '../errors.ts'
import { refuseWithoutDatabase } from '../storage/find-database.ts'
import { isSqliteUrl } from '../storage/sqlite-url.ts'
import { readArguments } from './usage.ts'
import { readSettings, actAsOwner, say } from './with-services.ts'

const USAGE = `Usage: latchkey backup <folder>

Copies the database, the avatars and the key file into a new folder: <folder> itself or, if that exists, a folder in it
that is named after the time. The service may run meanwhile, and does not wait; the backup is the state of one moment, and
contains everything that was acknowledged before. It never overwrites anything. Unless SECRET_KEY is set, the backup contains
the secret that decrypts its keys: protect it like the data folder.

With PostgreSQL use pg_dump; docs/command-line.md says how.

Example:
  latchkey backup /var/backups/latchkey`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words } = readArguments(args, USAGE, { words: 1 })
  const config = readSettings(source)
  if (!isSqliteUrl(config.databaseUrl)) {
    throw new StartError('The data is in PostgreSQL: back it up with pg_dump, as docs/command-line.md says.')
  }
  actAsOwner(config)
  await refuseWithoutDatabase(config.databaseUrl)
  const { makeBackup } = await import('../backup/make-backup.ts')
  const { folder, manifest } = await makeBackup(config, resolve(words[0] ?? ''), Date.now())
  say(folder)
  if (manifest.secretKey === 'in SECRET_KEY') {
    say(
      'SECRET_KEY is NOT in this backup. Without it the keys in the backup can’t be decrypted: store it safely elsewhere.',
    )
  }
  if (manifest.avatars === 'in the object store') say('Avatars are in the object store and NOT in this backup.')
}
