import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config, SettingsSource } from '../config/config.ts'
import { StartError } from '../errors.ts'
import { refuseWithoutDatabase } from '../storage/find-database.ts'
import { isSqliteUrl } from '../storage/sqlite-url.ts'
import { openBackupStore } from './backup-store.ts'
import { readArguments, UsageError } from './usage.ts'
import { actAsOwner, logForCommands, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey backup [--verify | --follow] <folder>

Copies the database, the avatars and the key file into a new folder: <folder> itself or, if that exists, a folder in it
that is named after the time. The service may run meanwhile, and does not wait; the backup is the state of one moment, and
contains everything that was acknowledged before. It never overwrites anything. Unless SECRET_KEY is set, the backup contains
the secret that decrypts its keys: protect it like the data folder.

  --verify             restores the new backup (or <folder>, if it is a backup already) into a temporary folder, and checks it
  --follow             keeps running and copies what changes, every two seconds, into a folder or an S3 bucket (its URL, with
                       S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY). latchkey restore can go back to any of these moments.
  --keep-days <days>   with --follow: how long to keep what was copied; 7 unless it is given

With PostgreSQL use pg_dump; docs/command-line.md says how.

Example:
  latchkey backup --verify /var/backups/latchkey`

const INTERVAL_MS = 2000

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words, on, values } = readArguments(args, USAGE, {
    words: 1,
    switches: ['verify', 'follow'],
    values: ['keep-days'],
  })
  if (on.verify && on.follow) throw new UsageError('--verify and --follow are two different things: one at a time.')
  const keepDays = readDays(values['keep-days'], on.follow)
  const config = readSettings(source)
  if (!isSqliteUrl(config.databaseUrl)) {
    throw new StartError('The data is in PostgreSQL: back it up with pg_dump, as docs/command-line.md says.')
  }
  const target = words[0] ?? ''
  if (on.follow) {
    const store = openBackupStore(target, source)
    actAsOwner(config)
    await refuseWithoutDatabase(config.databaseUrl)
    return follow(config, { to: store, target, keepDays })
  }
  actAsOwner(config)
  const folder = on.verify && existsSync(join(target, 'manifest.json')) ? resolve(target) : await make(config, target)
  if (!on.verify) return
  const { verifyBackup } = await import('../backup/verify-backup.ts')
  const { users, certificates } = await verifyBackup(config, { from: folder, now: Date.now, log: logForCommands() })
  say(`${folder} can be restored: ${users} accounts, ${certificates} SSH certificates.`)
}

async function make(config: Config, target: string): Promise<string> {
  await refuseWithoutDatabase(config.databaseUrl)
  const [{ makeBackup }, { markBackup }] = await Promise.all([
    import('../backup/make-backup.ts'),
    import('../config/last-backup.ts'),
  ])
  const now = Date.now()
  const { folder, manifest } = await makeBackup(config, resolve(target), now)
  await markBackup(config.dataDir, now)
  say(folder)
  if (manifest.secretKey === 'in SECRET_KEY') {
    say(
      'SECRET_KEY is NOT in this backup. Without it the keys in the backup can’t be decrypted: store it safely elsewhere.',
    )
  }
  if (manifest.avatars === 'in the object store') say('Avatars are in the object store and NOT in this backup.')
  return folder
}

function readDays(text: string | undefined, isFollowing: boolean): number {
  if (text === undefined) return 7
  const days = Number(text)
  if (!isFollowing || !Number.isInteger(days) || days < 1 || days > 3650)
    throw new UsageError('--keep-days is a number of days from 1 to 3650, and belongs to --follow.')
  return days
}

/** Until a signal ends it. A store that is away is tried again; what is not copied meanwhile is copied then. */
async function follow(
  config: Config,
  { to, target, keepDays }: { to: ReturnType<typeof openBackupStore>; target: string; keepDays: number },
): Promise<void> {
  const { followDatabase } = await import('../backup/follow-database.ts')
  const follower = followDatabase(config, { to, now: Date.now, keepDays })
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const log = logForCommands()
  let isFirst = true
  let isFailing = false
  while (!stopping.signal.aborted) {
    try {
      await follower.copy()
      if (isFirst) say(`${config.dataDir} is copied to ${target}, and followed.`)
      if (isFailing) say('The copy is up to date again.')
      isFirst = isFailing = false
    } catch (error) {
      if (isFirst) throw error
      if (!isFailing) log.warn({ err: error }, 'What has changed could not be copied; it is tried again.')
      isFailing = true
    }
    await new Promise((done) => {
      const timer = setTimeout(done, INTERVAL_MS)
      stopping.signal.addEventListener('abort', () => (clearTimeout(timer), done(undefined)), { once: true })
    })
  }
  // What was committed in the last two seconds.
  await follower.copy().catch(() => {})
  follower.close()
}
