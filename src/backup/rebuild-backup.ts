import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import { AVATARS_FOLDER, DATABASE_FILE, SECRET_KEY_FILE } from '../config/data-files.ts'
import { StartError } from '../errors.ts'
import { listFiles, writeDurably } from '../storage/durable-files.ts'
import { readPart } from './changes-format.ts'
import type { FollowedManifest } from './follow-database.ts'
import { describeFile, FORMAT, type Manifest, MANIFEST } from './manifest.ts'

/** One change of a followed database: its parts, and the time before which everything acknowledged is in it. */
interface Change {
  sequence: number
  at: number
  parts: string[]
}

const PART = /^(\d{8}T\d{9}Z)\/(\d{8})-(\d+)-\d{4}\.pages$/

/** Whether this is what `latchkey backup --follow` has written. */
export async function isFollowed(from: Blobs): Promise<boolean> {
  for await (const { name } of from.list()) if (PART.test(name)) return true
  return false
}

/**
 * Writes the state of the latest moment that is not after `until` as an ordinary backup into an empty folder. A change that was not
 * stored whole is left out, and with it all that follow.
 */
export async function rebuildBackup(from: Blobs, until: number, to: string): Promise<{ at: number }> {
  const names: string[] = []
  for await (const { name } of from.list()) names.push(name)
  const chosen = chooseGeneration(names, until)
  if (!chosen) throw new StartError(`There is no copy that was made before ${new Date(until).toISOString()}.`)
  const { generation, changes } = chosen
  const at = await writeDatabase(from, changes, join(to, DATABASE_FILE))

  for (const name of names) {
    const path = name.slice(generation.length + 1)
    if (!name.startsWith(`${generation}/`) || !(path === SECRET_KEY_FILE || path.startsWith(`${AVATARS_FOLDER}/`)))
      continue
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await writeDurably(join(to, path), await read(from, name))
  }
  const { latchkey, migrations, secretKey, avatars } = JSON.parse(
    (await read(from, `${generation}/manifest.json`)).toString('utf8'),
  ) as FollowedManifest
  const files = []
  for (const path of await listFiles(to)) files.push(await describeFile(to, path))
  const createdAt = new Date(at).toISOString()
  const manifest: Manifest = { format: FORMAT, createdAt, latchkey, migrations, secretKey, avatars, files }
  await writeDurably(join(to, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return { at }
}

/** The newest copy that began in time. One whose first change was not stored whole is no copy yet. */
function chooseGeneration(names: string[], until: number): { generation: string; changes: Change[] } | undefined {
  const generations = Map.groupBy(
    names.flatMap((name) => {
      const [, generation = '', sequence = '', at = ''] = PART.exec(name) ?? []
      return generation === '' ? [] : [{ name, generation, sequence: Number(sequence), at: Number(at) }]
    }),
    ({ generation }) => generation,
  )
  for (const generation of [...generations.keys()].toSorted().toReversed()) {
    const parts = generations.get(generation) ?? []
    const bySequence = Map.groupBy(parts, ({ sequence }) => sequence)
    const changes: Change[] = []
    for (let sequence = 1; bySequence.has(sequence); sequence++) {
      const own = bySequence.get(sequence) ?? []
      const at = own[0]?.at ?? Infinity
      if (at > until) break
      changes.push({ sequence, at, parts: own.map(({ name }) => name).toSorted() })
    }
    if (changes.length > 0) return { generation, changes }
  }
  return undefined
}

async function read(from: Blobs, name: string): Promise<Buffer> {
  const bytes = await from.get(name)
  if (!bytes) throw new StartError(`The backup is damaged: ${name} is missing.`)
  return bytes
}

/** Returns the time of the last change that was whole. */
async function writeDatabase(from: Blobs, changes: Change[], file: string): Promise<number> {
  const handle = await open(file, 'wx', 0o600)
  let written: number | undefined
  try {
    for (const { sequence, at, parts } of changes) {
      const read0 = await Promise.all(parts.map(async (name) => readPart(name, await read(from, name))))
      const [first] = read0
      if (!first || read0.length !== first.parts) {
        if (written === undefined)
          throw new StartError(`The backup is damaged: parts of change ${sequence} are missing.`)
        break
      }
      for (const { pages, pageSize } of read0) {
        for (const [number, content] of pages) await handle.write(content, 0, pageSize, (number - 1) * pageSize)
      }
      await handle.truncate(first.pageCount * first.pageSize)
      written = at
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (written === undefined) throw new StartError('The backup is damaged: it has no database.')
  return written
}
