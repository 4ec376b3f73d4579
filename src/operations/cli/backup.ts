import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartError } from '../../errors.ts'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import { createFolderBlobs } from '../../platform/blobs/folder.ts'
import { createS3Blobs } from '../../platform/blobs/s3.ts'
import { loadSettings, type Config, type SettingsSource } from '../../platform/config/config.ts'
import { readSetting } from '../../platform/config/secret-files.ts'
import { isSqliteUrl, refuseWithoutDatabase } from '../../storage/database-url.ts'
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
/** How often it says that copying still fails. */
const REMIND_MS = 10 * 60_000

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
  if (on.verify && existsSync(join(target, 'manifest.json'))) return verify(config, resolve(target))
  const { folder, at } = await make(config, target)
  if (on.verify) await verify(config, folder)
  const { markBackup } = await import('../../platform/config/data-files.ts')
  await markBackup(config.dataDir, at)
}

async function verify(config: Config, folder: string): Promise<void> {
  const { verifyBackup } = await import('../backup/restore-backup.ts')
  const { users, certificates } = await verifyBackup(config, { from: folder, now: Date.now, log: logForCommands() })
  say(`${folder} can be restored: ${users} accounts, ${certificates} SSH certificates.`)
}

async function make(config: Config, target: string): Promise<{ folder: string; at: number }> {
  await refuseWithoutDatabase(config.databaseUrl)
  const { makeBackup } = await import('../backup/make-backup.ts')
  const at = Date.now()
  const { folder, manifest } = await makeBackup(config, resolve(target), at)
  say(folder)
  if (manifest.secretKey === 'in SECRET_KEY') {
    say(
      'SECRET_KEY is NOT in this backup. Without it the keys in the backup can’t be decrypted: store it safely elsewhere.',
    )
  }
  if (manifest.avatars === 'in the object store') say('Avatars are in the object store and NOT in this backup.')
  return { folder, at }
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
  let warnedAt: number | undefined
  while (!stopping.signal.aborted) {
    try {
      await follower.copy()
      if (isFirst) say(`${config.dataDir} is copied to ${target}, and followed.`)
      if (warnedAt !== undefined) say('The copy is up to date again.')
      isFirst = false
      warnedAt = undefined
    } catch (error) {
      if (isFirst) throw error
      if (warnedAt === undefined || performance.now() - warnedAt >= REMIND_MS) {
        log.warn({ err: error }, 'What has changed could not be copied; it is tried again.')
        warnedAt = performance.now()
      }
    }
    await new Promise((done) => {
      const timer = setTimeout(done, INTERVAL_MS)
      stopping.signal.addEventListener('abort', () => (clearTimeout(timer), done(undefined)), { once: true })
    })
  }
  try {
    // What was committed in the last two seconds. If it can't be stored, the command has failed.
    await follower.copy()
  } finally {
    follower.close()
  }
}

/** Where `backup --follow` writes and `restore` reads: a folder, or the URL of a bucket with the credentials of the settings. */
export function openBackupStore(target: string, source: SettingsSource): Blobs {
  if (!/^https?:\/\//.test(target)) return createFolderBlobs(resolve(target))
  const { environment } = loadSettings(source)
  const accessKeyId = readSetting(environment, 'S3_ACCESS_KEY_ID')
  const secretAccessKey = readSetting(environment, 'S3_SECRET_ACCESS_KEY')
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError('For a bucket, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set.')
  return createS3Blobs({
    url: target,
    accessKeyId,
    secretAccessKey,
    region: readSetting(environment, 'S3_REGION') ?? 'us-east-1',
  })
}
