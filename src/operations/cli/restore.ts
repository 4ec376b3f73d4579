import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { StartError } from '../../errors.ts'
import type { SettingsSource } from '../../platform/config/config.ts'
import { isSqliteUrl } from '../../storage/database-url.ts'
import { openBackupStore } from './backup.ts'
import { printRecovered } from './restored.ts'
import { readArguments, UsageError } from './usage.ts'
import { logForCommands, readSettings, actAsOwner, say } from './with-services.ts'

const USAGE = `Usage: latchkey restore [--keep-access] [--at <time>] <backup>

Restores a backup into DATA_DIR, where there must be no data yet, while no service runs. Every file is checked first.

The backup does not contain what was ended after it was made. So every session, token, mailed link and SSH certificate ends,
and people have to sign in again. --keep-access keeps them: for a backup that is known to be the latest state. SSH certificates
that were issued after the backup are revoked in any case, and none of their serials is issued again.

<backup> may also be the folder or the URL that latchkey backup --follow writes to: then the latest state is restored, or the one
at the time of --at. Where a change is missing before others, nothing is restored, and the command names the gap.

With PostgreSQL use pg_restore and then latchkey restored; docs/command-line.md says how.

Example:
  latchkey restore /var/backups/latchkey/latchkey-20260115T120000Z
  latchkey restore --at 2026-01-15T11:59:30Z /mnt/copies/latchkey`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words, on, values } = readArguments(args, USAGE, { words: 1, switches: ['keep-access'], values: ['at'] })
  const config = readSettings(source)
  if (!isSqliteUrl(config.databaseUrl)) {
    throw new StartError(
      'The data is in PostgreSQL: restore it with pg_restore, then run latchkey restored. docs/command-line.md says how.',
    )
  }
  const target = words[0] ?? ''
  const until = readTime(values.at)
  const store = openBackupStore(target, source)
  actAsOwner(config)
  const { restoreBackup } = await import('../backup/restore-backup.ts')
  const restore = async (from: string) => {
    const request = { from, keepAccess: on['keep-access'], now: Date.now, log: logForCommands() }
    const recovered = await restoreBackup(config, request)
    say(`${target} is restored into ${config.dataDir}.`)
    printRecovered(recovered)
  }
  if (existsSync(join(target, 'manifest.json'))) {
    if (values.at !== undefined) throw new UsageError('--at is for what latchkey backup --follow has written.')
    return restore(resolve(target))
  }
  const { isFollowed } = await import('../backup/followed-copies.ts')
  // An ordinary backup that is damaged is reported as one.
  if (!(await isFollowed(store))) return restore(resolve(target))
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-rebuilt-'))
  try {
    const { rebuildBackup } = await import('../backup/rebuild-backup.ts')
    const { at, leftOut } = await rebuildBackup(store, until, folder)
    for (const each of leftOut) say(`Not stored whole, and left out: ${each}.`)
    say(`The state of ${new Date(at).toISOString()}:`)
    await restore(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Without a time everything counts, also what was copied while the clock was ahead of the one here. */
function readTime(text: string | undefined): number {
  if (text === undefined) return Infinity
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError('--at is a time such as 2026-01-15T11:59:30Z.')
  return time
}
