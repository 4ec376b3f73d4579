import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, statSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { AVATARS_FOLDER, DATABASE_FILE, SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { VERSION } from '../../platform/config/version.ts'
import { sqliteFileOf } from '../../storage/database-url.ts'
import {
  copyPrivately,
  listFiles,
  makeFolder,
  syncFolder,
  syncTree,
  writeDurably,
} from '../../storage/durable-files.ts'
import { copyNamedPictures, copyPictures, type Folders } from './copy-pictures.ts'
import { checkDatabase, openSnapshot } from './database-file-store.ts'
import { describeFile, FORMAT, MANIFEST, type Manifest } from './manifest.ts'

type BackupSettings = Pick<Config, 'databaseUrl' | 'dataDir' | 'secretKey' | 's3'>

/**
 * Copies everything into a new folder, whether or not the service runs. SQLite's log lets it be read beside its writer:
 * the backup is the state of one moment, and the service does not wait for it. Mail in the outbox is left out, since it
 * holds links that open accounts.
 */
export async function makeBackup(
  config: BackupSettings,
  to: string,
  now: number,
): Promise<{ folder: string; manifest: Manifest }> {
  if (existsSync(join(to, MANIFEST))) throw new StartError(`${to} is a backup already. Name another folder.`)
  const folder = existsSync(to) && statSync(to).isDirectory() ? join(to, nameOf(now)) : to
  if (existsSync(folder)) throw new StartError(`${folder} is there already. A backup never overwrites anything.`)
  const unfinished = `${folder}.${randomBytes(6).toString('hex')}.part`
  makeFolder(unfinished)
  try {
    const manifest = await writeBackup(unfinished, config, now)
    // A folder that was made meanwhile is not replaced: rename fails on one that is not empty.
    if (existsSync(folder)) throw new StartError(`${folder} is there already. A backup never overwrites anything.`)
    await rename(unfinished, folder)
    await syncFolder(dirname(folder))
    return { folder, manifest }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** As latchkey-20260115T120000Z. */
const nameOf = (now: number): string =>
  `latchkey-${new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`

async function writeBackup(folder: string, config: BackupSettings, now: number): Promise<Manifest> {
  const avatars = config.s3
    ? undefined
    : { from: join(config.dataDir, AVATARS_FOLDER), to: join(folder, AVATARS_FOLDER) }
  // Most avatars are copied before the database, so that few are left to copy while its read transaction is open.
  if (avatars !== undefined) await copyPictures(avatars)
  const database = sqliteFileOf(config.databaseUrl)
  if (database === undefined) throw new Error('A backup is made of a SQLite file only.')
  const migrations = await copyDatabase(database, join(folder, DATABASE_FILE), avatars)
  if (config.secretKey === undefined) {
    await copyPrivately(join(config.dataDir, SECRET_KEY_FILE), join(folder, SECRET_KEY_FILE))
  }
  const files = []
  for (const path of await listFiles(folder)) files.push(await describeFile(folder, path))
  const manifest: Manifest = {
    format: FORMAT,
    createdAt: new Date(now).toISOString(),
    latchkey: VERSION,
    migrations,
    secretKey: config.secretKey === undefined ? 'in the backup' : 'in SECRET_KEY',
    avatars: avatars === undefined ? 'in the object store' : 'in the backup',
    files,
  }
  await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  await syncTree(folder)
  return manifest
}

/** Returns the names of the migrations that were applied to the database. */
async function copyDatabase(file: string, to: string, avatars: Folders | undefined): Promise<string[]> {
  if (!existsSync(file)) throw new StartError(`There is no database at ${file}: nothing to back up.`)
  const snapshot = openSnapshot(file)
  try {
    await copyNamedPictures(snapshot, avatars)
    await snapshot.copyTo(to)
    chmodSync(to, 0o600)
    checkDatabase(to)
    return snapshot.migrations()
  } finally {
    snapshot.close()
  }
}

/** In the data folder. */
const UPGRADES_FOLDER = 'before-upgrades'
const MAX_KEPT = 3

/**
 * Makes a backup before tables are changed, so that the version before can be used again: it restores this backup. Without
 * one the service does not start, and nothing is changed. The last three are kept.
 */
export async function backUpBeforeUpgrade(
  config: Config,
  { log, now }: { log: Logger; now: () => number },
): Promise<void> {
  const parent = join(config.dataDir, UPGRADES_FOLDER)
  try {
    makeFolder(parent)
    const { folder } = await makeBackup(config, parent, now())
    log.info({ folder }, 'The tables are about to be changed. A backup of the version before was made.')
  } catch (error) {
    throw new StartError(
      `The tables must be changed for this version, but no backup can be made before: ${(error as Error).message} Nothing was changed.`,
      { cause: error },
    )
  }
  await deleteOldest(parent)
}

async function deleteOldest(parent: string): Promise<void> {
  if (!existsSync(parent)) return
  const names = readdirSync(parent)
    .filter((name) => /^latchkey-\d{8}T\d{6}Z$/.test(name))
    .toSorted()
  for (const name of names.slice(0, -MAX_KEPT)) await rm(join(parent, name), { recursive: true, force: true })
}
