import { mkdirSync, mkdtempSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../../errors.ts'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import { AVATARS_FOLDER, DATABASE_FILE, SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { listFiles, writeDurably } from '../../storage/durable-files.ts'
import { checkDatabase } from './database-file-store.ts'
import {
  type Change,
  changesUntil,
  type FollowedCopy,
  type FollowedManifest,
  gap,
  listCopies,
} from './followed-copies.ts'
import { describeFile, FORMAT, type Manifest, MANIFEST } from './manifest.ts'
import { readPart } from './read-changes.ts'

interface Rebuilt {
  at: number
  /** Copies and changes that are newer, but were not stored whole. */
  leftOut: string[]
}

/**
 * Writes the state of the latest moment that is not after `until` as an ordinary backup into an empty folder. A change at the end that
 * was not stored whole is left out: it was never reported as stored. A change that is missing before others is an error.
 */
export async function rebuildBackup(from: Blobs, until: number, to: string): Promise<Rebuilt> {
  const leftOut: string[] = []
  for (const copy of latestFirst(await listCopies(from), until)) {
    if (!copy.hasManifest) {
      if (copy.changes.length > 1) throw new StartError(`The backup is damaged: ${copy.name}/${MANIFEST} is missing.`)
      leftOut.push(`the copy ${copy.name}`)
      continue
    }
    const changes = changesUntil(copy, until)
    const { at, torn } = await writeDatabase(from, copy, changes, join(to, DATABASE_FILE))
    // The manifest was stored when change 1 was whole.
    if (copy.changes.length === 0 || torn?.sequence === 1) throw damaged(copy)
    if (torn) leftOut.push(`change ${torn.sequence} of the copy ${copy.name}`)
    if (at === undefined) continue
    await writeRest(from, copy.name, at, to)
    return { at, leftOut }
  }
  const when = until === Infinity ? '' : ` that was made before ${new Date(until).toISOString()}`
  throw new StartError(`There is no copy${when}${leftOut.length > 0 ? ', only one that was not stored whole' : ''}.`)
}

const damaged = ({ name, startedAt }: FollowedCopy): StartError =>
  new StartError(
    `The backup is damaged: change 1 of the copy ${name}, or parts of it, are missing. Nothing was restored. What was copied before can be restored with --at ${new Date(startedAt - 1).toISOString()}.`,
  )

/** Rebuilds the database of a copy as a restore would, in a temporary folder, and checks every page of it. */
export async function verifyCopy(from: Blobs, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-verifying-'))
  try {
    const copy = (await listCopies(from)).find((each) => each.name === name)
    if (!copy) throw new StartError(`The copy ${name} is gone from the store.`)
    const file = join(folder, DATABASE_FILE)
    await writeDatabase(from, copy, changesUntil(copy, Infinity), file)
    checkDatabase(file)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new StartError(`The copy ${name} can't be restored: ${error.message}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Of two followers one may have stopped long before the other, whichever began first. */
function latestFirst(copies: FollowedCopy[], until: number): FollowedCopy[] {
  const lastOf = ({ startedAt, changes }: FollowedCopy) =>
    Math.max(...[startedAt, ...changes.map(({ at }) => at)].filter((at) => at <= until))
  return copies
    .filter((copy) => lastOf(copy) > -Infinity)
    .toReversed()
    .toSorted((one, other) => lastOf(other) - lastOf(one))
}

/** Returns the time of the last change that was stored whole, and the one at the end that was not. */
async function writeDatabase(
  from: Blobs,
  copy: FollowedCopy,
  changes: Change[],
  file: string,
): Promise<{ at: number | undefined; torn: Change | undefined }> {
  await rm(file, { force: true })
  const handle = await open(file, 'wx', 0o600)
  let written: Change | undefined
  try {
    for (const change of changes) {
      // One part at a time: together they may be as large as the database.
      for (const name of change.parts) {
        const { pages, pageSize, pageCount, parts } = readPart(name, await read(from, name))
        if (parts !== change.parts.length) {
          const next = copy.changes[copy.changes.indexOf(change) + 1]
          if (next) throw gap(copy, written, next)
          return { at: written?.at, torn: change }
        }
        for (const [number, content] of pages) await handle.write(content, 0, pageSize, (number - 1) * pageSize)
        await handle.truncate(pageCount * pageSize)
      }
      written = change
    }
  } finally {
    await handle.sync()
    await handle.close()
  }
  return { at: written?.at, torn: undefined }
}

async function read(from: Blobs, name: string): Promise<Buffer> {
  const bytes = await from.get(name)
  if (!bytes) throw new StartError(`The backup is damaged: ${name} is missing.`)
  return bytes
}

/** The pictures, the key file and, last, the manifest. */
async function writeRest(from: Blobs, copy: string, at: number, to: string): Promise<void> {
  for await (const { name } of from.list(copy)) {
    const path = name.slice(copy.length + 1)
    if (path !== SECRET_KEY_FILE && !(path.startsWith(`${AVATARS_FOLDER}/`) && path.endsWith('.webp'))) continue
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await writeDurably(join(to, path), await read(from, name))
  }
  const { latchkey, migrations, secretKey, avatars } = JSON.parse(
    (await read(from, `${copy}/${MANIFEST}`)).toString('utf8'),
  ) as FollowedManifest
  if (secretKey === 'in the backup') await refuseWithoutKey(to, copy)
  const files = []
  for (const path of await listFiles(to)) files.push(await describeFile(to, path))
  const createdAt = new Date(at).toISOString()
  const manifest: Manifest = { format: FORMAT, createdAt, latchkey, migrations, secretKey, avatars, files }
  await writeDurably(join(to, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function refuseWithoutKey(folder: string, copy: string): Promise<void> {
  if (!(await listFiles(folder)).includes(SECRET_KEY_FILE))
    throw new StartError(`The backup is damaged: ${copy}/${SECRET_KEY_FILE} is missing.`)
}
