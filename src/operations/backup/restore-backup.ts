import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import { StartError } from '../../errors.ts'
import { openServices } from '../../open-services.ts'
import type { Config } from '../../platform/config/config.ts'
import { AVATARS_FOLDER, DATABASE_FILE, SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { sqliteFileOf, toSqliteUrl } from '../../storage/database-url.ts'
import { copyPrivately, isCode, makeFolder, syncFolder, syncTree } from '../../storage/durable-files.ts'
import { lockFile } from '../../storage/sqlite/file-lock.ts'
import { checkDatabase } from './database-file-store.ts'
import { describeFile, readManifest, type Manifest } from './manifest.ts'
import { recover, type Recovered } from './recover.ts'

interface RestoreRequest {
  from: string
  keepAccess: boolean
  now: () => number
  log: Logger
}

/**
 * Restores a backup where there is no data yet. All of it is copied, checked and made safe in a staging folder, and moved
 * into the data folder at the end: until then nothing is there, and a failure leaves nothing behind.
 */
export async function restoreBackup(
  config: Config,
  { from, keepAccess, now, log }: RestoreRequest,
): Promise<Recovered> {
  const manifest = readManifest(from)
  refuseUnusable(config, manifest, now())
  const file = sqliteFileOf(config.databaseUrl)
  if (file === undefined) throw new Error('A backup is restored into a SQLite file only.')
  for (const folder of [config.dataDir, dirname(file)]) makeFolder(folder)
  const lock = await lockFile(file)
  const staging = mkdtempSync(join(config.dataDir, 'restoring-'))
  try {
    refuseOverwriting(config, file, manifest)
    await copyVerified(manifest, from, staging)
    checkDatabase(join(staging, DATABASE_FILE))
    const recovered = await recoverIn(staging, config, {
      copiedAt: Date.parse(manifest.createdAt),
      keepAccess,
      now,
      log,
    })
    await moveIntoPlace(staging, config.dataDir, file)
    return recovered
  } finally {
    await rm(staging, { recursive: true, force: true })
    lock.release()
  }
}

function refuseUnusable(config: Config, { createdAt, secretKey }: Manifest, now: number): void {
  if (secretKey === 'in SECRET_KEY' && config.secretKey === undefined) {
    throw new StartError(
      'This backup was made with SECRET_KEY set, and does not contain it. Set SECRET_KEY to the same value.',
    )
  }
  if (now < Date.parse(createdAt)) {
    throw new StartError(
      `The clock says ${new Date(now).toISOString()}, but the backup was made at ${createdAt}. Correct the clock first.`,
    )
  }
}

function refuseOverwriting({ dataDir }: Config, file: string, { files }: Manifest): void {
  const contains = (path: string) => files.some((each) => each.path === path || each.path.startsWith(`${path}/`))
  const paths = [
    file,
    `${file}-wal`,
    // A program that still reads the old database would keep this index of its log in force for the new one.
    `${file}-shm`,
    ...[SECRET_KEY_FILE, AVATARS_FOLDER].filter(contains).map((path) => join(dataDir, path)),
  ]
  const taken = paths.filter(isTaken)
  if (taken.length === 0) return
  throw new StartError(`There is data already: ${taken.join(', ')}. Move it away first; a restore never overwrites.`)
}

function isTaken(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch (error) {
    return isCode(error, 'ENOTDIR')
  }
}

async function copyVerified({ files }: Manifest, from: string, to: string): Promise<void> {
  for (const { path, size, sha256 } of files) {
    try {
      await copyPrivately(join(from, path), join(to, path))
    } catch (error) {
      if (isCode(error, 'ENOENT')) throw new StartError(`The backup is damaged: ${path} is missing.`)
      throw error
    }
    const copied = await describeFile(to, path)
    if (copied.size !== size || copied.sha256 !== sha256) {
      throw new StartError(`The backup is damaged: ${path} is not what its manifest says.`)
    }
  }
  if (!files.some(({ path }) => path === DATABASE_FILE))
    throw new StartError('The backup is damaged: it has no database.')
}

/** Opening the services proves that the keys can be decrypted, and migrates the data of an older version. */
async function recoverIn(
  staging: string,
  config: Config,
  { copiedAt, keepAccess, now, log }: Omit<RestoreRequest, 'from'> & { copiedAt: number },
): Promise<Recovered> {
  const staged = { ...config, dataDir: staging, databaseUrl: toSqliteUrl(join(staging, DATABASE_FILE)) }
  const services = await openServices(staged, { log, now })
  try {
    return await recover(services, { copiedAt, keepAccess })
  } finally {
    await services.close()
  }
}

/** The database comes last, when everything else is durable: without a database nothing was restored. */
async function moveIntoPlace(staging: string, dataDir: string, file: string): Promise<void> {
  await syncTree(staging)
  const moved: string[] = []
  const move = async (from: string, to: string) => {
    if (!existsSync(from)) return
    // There may be an empty folder; anything else was refused.
    await moveOrCopy(from, to)
    moved.push(to)
  }
  try {
    await move(join(staging, AVATARS_FOLDER), join(dataDir, AVATARS_FOLDER))
    await move(join(staging, SECRET_KEY_FILE), join(dataDir, SECRET_KEY_FILE))
    await syncFolder(dataDir)
    await move(join(staging, DATABASE_FILE), file)
    for (const folder of new Set([dataDir, dirname(file)])) await syncFolder(folder)
  } catch (error) {
    for (const path of moved) await rm(path, { recursive: true, force: true })
    throw error
  }
}

/** DATABASE_URL may name a file on another disk than DATA_DIR. */
async function moveOrCopy(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!isCode(error, 'EXDEV')) throw error
    await copyPrivately(from, `${to}.part`)
    await rename(`${to}.part`, to)
  }
}

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
