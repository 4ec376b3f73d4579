import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { AVATARS_FOLDER, DATABASE_FILE, SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { MIGRATIONS } from '../../storage/migrations/all.ts'

export const MANIFEST = 'manifest.json'
export const FORMAT = 1

/** What a backup says about itself. It is written last: a folder without one is no backup. */
export interface Manifest {
  format: typeof FORMAT
  /** Everything that was acknowledged before this time is in it. */
  createdAt: string
  latchkey: string
  /** The migrations that were applied to its database. */
  migrations: string[]
  /** Where the secret is that decrypts its keys. */
  secretKey: 'in the backup' | 'in SECRET_KEY'
  avatars: 'in the backup' | 'in the object store'
  files: BackupFile[]
}

export interface BackupFile {
  path: string
  size: number
  sha256: string
}

export async function describeFile(folder: string, path: string): Promise<BackupFile> {
  const file = join(folder, path)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return { path, size: (await stat(file)).size, sha256: hash.digest('hex') }
}

/** Reads and checks it. What is in the files is checked when they are copied. */
export function readManifest(folder: string): Manifest {
  let text: string
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8')
  } catch {
    throw new StartError(`${folder} is no backup of Latchkey: there is no ${MANIFEST} in it.`)
  }
  const manifest = parse(text)
  if (!manifest) throw new StartError(`The backup ${folder} is damaged: its ${MANIFEST} can't be read.`)
  const unknown = manifest.migrations.filter((name) => !MIGRATIONS.some((migration) => migration.name === name))
  if (manifest.format > FORMAT || unknown.length > 0) {
    throw new StartError(
      `The backup ${folder} was made by a newer Latchkey (${manifest.latchkey}). Restore it with that version, or a newer one.`,
    )
  }
  return manifest
}

/** Only names that a backup can have, so that a manifest can't name a file outside of the folder. */
const OURS = new RegExp(`^(${DATABASE_FILE}|${SECRET_KEY_FILE}|${AVATARS_FOLDER}(/[A-Za-z0-9_-]+)+(\\.[a-z0-9]+)?)$`)

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function parse(text: string): Manifest | undefined {
  try {
    const { format, createdAt, latchkey, migrations, secretKey, avatars, files } = JSON.parse(text) as Manifest
    const isWhole =
      Number.isInteger(format) &&
      !Number.isNaN(Date.parse(createdAt)) &&
      typeof latchkey === 'string' &&
      isTextList(migrations) &&
      (format > FORMAT || (isTextList(files.map(({ path }) => path)) && files.every(({ path }) => OURS.test(path))))
    return isWhole ? { format, createdAt, latchkey, migrations, secretKey, avatars, files } : undefined
  } catch {
    return undefined
  }
}
