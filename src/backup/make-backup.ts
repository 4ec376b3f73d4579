import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Config } from '../config/config.ts'
import { StartError } from '../errors.ts'
import { copyPrivately, listFiles, syncFolder, syncTree, writeDurably } from '../storage/durable-files.ts'
import { makeFolder } from '../storage/make-folder.ts'
import { checkDatabase } from './check-database.ts'
import { copyAvatars, copyNamedAvatars, type Folders } from './copy-avatars.ts'
import { AVATARS, DATABASE, describeFile, FORMAT, type Manifest, MANIFEST, SECRET_KEY_FILE } from './manifest.ts'

const PAGES_A_STEP = 10_000

type Needs = Pick<Config, 'databaseUrl' | 'dataDir' | 'secretKey' | 's3'>

/**
 * Copies everything into a new folder, whether or not the service runs. SQLite's log lets it be read beside its writer:
 * the backup is the state of one moment, and the service does not wait for it. Mail in the outbox is left out, since it
 * holds links that open accounts.
 */
export async function makeBackup(
  config: Needs,
  to: string,
  now: number,
): Promise<{ folder: string; manifest: Manifest }> {
  if (existsSync(join(to, MANIFEST))) throw new StartError(`${to} is a backup already. Name another folder.`)
  const folder = existsSync(to) && statSync(to).isDirectory() ? join(to, nameOf(now)) : to
  if (existsSync(folder)) throw new StartError(`${folder} is there already. A backup never overwrites anything.`)
  const unfinished = `${folder}.${randomBytes(6).toString('hex')}.part`
  makeFolder(unfinished)
  try {
    const manifest = await fill(unfinished, config, now)
    // A folder that came into being meanwhile is not replaced: rename fails on one that is not empty.
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

async function fill(folder: string, config: Needs, now: number): Promise<Manifest> {
  const avatars = config.s3 ? undefined : { from: join(config.dataDir, AVATARS), to: join(folder, AVATARS) }
  // Most avatars are copied before the database, so that few are left to copy while its read transaction is open.
  if (avatars !== undefined) await copyAvatars(avatars)
  const migrations = await copyDatabase(config.databaseUrl.slice('sqlite:'.length), join(folder, DATABASE), avatars)
  if (config.secretKey === undefined) {
    await copyPrivately(join(config.dataDir, SECRET_KEY_FILE), join(folder, SECRET_KEY_FILE))
  }
  const files = []
  for (const path of await listFiles(folder)) files.push(await describeFile(folder, path))
  const manifest: Manifest = {
    format: FORMAT,
    createdAt: new Date(now).toISOString(),
    latchkey: versionOfLatchkey(),
    migrations,
    secretKey: config.secretKey === undefined ? 'in the backup' : 'in SECRET_KEY',
    avatars: avatars === undefined ? 'in the object store' : 'in the backup',
    files,
  }
  await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  await syncTree(folder)
  return manifest
}

/** Answers the steps that the database has gone through. */
async function copyDatabase(file: string, to: string, avatars: Folders | undefined): Promise<string[]> {
  if (!existsSync(file)) throw new StartError(`There is no database at ${file}: nothing to back up.`)
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    // The first read fixes the moment. Without it every commit of the service would make the backup start again.
    const readMigrations = () => {
      source.exec('BEGIN')
      return source.prepare('SELECT name FROM schema_migrations ORDER BY name').all() as { name: string }[]
    }
    let applied = readMigrations()
    await copyNamedAvatars(source, avatars, () => {
      source.exec('ROLLBACK')
      applied = readMigrations()
    })
    await backup(source, to, { rate: PAGES_A_STEP })
    chmodSync(to, 0o600)
    checkDatabase(to)
    return applied.map(({ name }) => name)
  } finally {
    source.close()
  }
}

export function versionOfLatchkey(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string
  }
  return version
}
