import { resolve } from 'node:path'
import type { SettingsSource } from '../config/config.ts'
import { StartError } from '../errors.ts'
import { isSqliteUrl } from '../storage/sqlite-url.ts'
import { printRecovered } from './print-recovered.ts'
import { readArguments } from './usage.ts'
import { logForCommands, readSettings, actAsOwner, say } from './with-services.ts'

const USAGE = `Usage: latchkey restore [--keep-access] <backup>

Restores a backup into DATA_DIR, where there must be no data yet, while no service runs. Every file is checked first.

The backup does not contain what was ended after it was made. So every session, token, mailed link and SSH certificate ends,
and people have to sign in again. --keep-access keeps them: for a backup that is known to be the latest state. SSH certificates
that were issued after the backup are revoked in any case, and none of their serials is issued again.

With PostgreSQL use pg_restore and then latchkey restored; docs/command-line.md says how.

Example:
  latchkey restore /var/backups/latchkey/latchkey-20260115T120000Z`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words, on } = readArguments(args, USAGE, { words: 1, switches: ['keep-access'] })
  const config = readSettings(source)
  if (!isSqliteUrl(config.databaseUrl)) {
    throw new StartError(
      'The data is in PostgreSQL: restore it with pg_restore, then run latchkey restored. docs/command-line.md says how.',
    )
  }
  actAsOwner(config)
  const { restoreBackup } = await import('../backup/restore-backup.ts')
  const request = { from: resolve(words[0] ?? ''), keepAccess: on['keep-access'], now: Date.now, log: logForCommands() }
  const recovered = await restoreBackup(config, request)
  say(`${request.from} is restored into ${config.dataDir}.`)
  printRecovered(recovered)
}
