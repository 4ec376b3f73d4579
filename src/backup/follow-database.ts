import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import type { Config } from '../config/config.ts'
import { AVATARS_FOLDER, SECRET_KEY_FILE } from '../config/data-files.ts'
import { markBackup } from '../config/last-backup.ts'
import { VERSION } from '../config/version.ts'
import { isCode, listFiles } from '../storage/durable-files.ts'
import { sqliteFileOf } from '../storage/sqlite-url.ts'
import { writeParts } from './changes-format.ts'
import { openChanges, type ChangeReader } from './read-changes.ts'

type Needs = Pick<Config, 'databaseUrl' | 'dataDir' | 'secretKey' | 's3'>

export interface Follower {
  /** Stores what was committed since the last time. Returns whether anything was. */
  copy(): Promise<boolean>
  close(): void
}

/** A copy from which every later state can be rebuilt begins anew once a day, so that restoring it does not take long. */
const GENERATION_MS = 24 * 3600_000
const DAY_MS = 24 * 3600_000

export interface FollowedManifest {
  format: 1
  createdAt: string
  latchkey: string
  migrations: string[]
  secretKey: 'in the backup' | 'in SECRET_KEY'
  avatars: 'in the backup' | 'in the object store'
}

/**
 * Copies a database while the service changes it: first all of it, and then, at each call, what was committed since. What is
 * stored is only added to; copies that began more than `keepDays` ago are deleted once a newer one is whole.
 */
export function followDatabase(
  config: Needs,
  { to, now, keepDays }: { to: Blobs; now: () => number; keepDays: number },
): Follower {
  const file = sqliteFileOf(config.databaseUrl)
  if (file === undefined) throw new Error('Only a SQLite file can be followed.')
  let current: Generation | undefined

  const begin = async (): Promise<Generation> => {
    current?.changes.close()
    const changes = openChanges(file)
    current = { name: nameOf(now()), startedAt: now(), changes, sequence: 0, pictures: new Set() }
    await putManifest(current)
    return current
  }

  const putManifest = async ({ name, changes }: Generation): Promise<void> => {
    if (config.secretKey === undefined) {
      await to.put(`${name}/${SECRET_KEY_FILE}`, await readFile(join(config.dataDir, SECRET_KEY_FILE)), 'text/plain')
    }
    const manifest: FollowedManifest = {
      format: 1,
      createdAt: new Date(now()).toISOString(),
      latchkey: VERSION,
      migrations: changes.migrations(),
      secretKey: config.secretKey === undefined ? 'in the backup' : 'in SECRET_KEY',
      avatars: config.s3 ? 'in the object store' : 'in the backup',
    }
    await to.put(`${name}/manifest.json`, Buffer.from(JSON.stringify(manifest)), 'application/json')
  }

  /** A picture never changes under its name. One that is gone was replaced, and the next call has the new one. */
  const putPictures = async ({ name, pictures }: Generation): Promise<void> => {
    if (config.s3) return
    const folder = join(config.dataDir, AVATARS_FOLDER)
    for (const path of await listFiles(folder)) {
      if (pictures.has(path) || !path.endsWith('.webp')) continue
      try {
        await to.put(`${name}/${AVATARS_FOLDER}/${path}`, await readFile(join(folder, path)), 'image/webp')
        pictures.add(path)
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error
      }
    }
  }

  return {
    async copy() {
      const isNew = current === undefined || now() - current.startedAt >= GENERATION_MS
      const generation = isNew ? await begin() : (current ?? (await begin()))
      // Everything that was acknowledged before this time is in it.
      const at = now()
      const found = generation.changes.read()
      if (found) {
        const sequence = String(++generation.sequence).padStart(8, '0')
        let part = 0
        for (const bytes of writeParts(found)) {
          const name = `${generation.name}/${sequence}-${at}-${String(++part).padStart(4, '0')}.pages`
          await to.put(name, bytes, 'application/octet-stream')
        }
      }
      await putPictures(generation)
      await markBackup(config.dataDir, at)
      if (isNew) await deleteOld(to, generation.name, now() - keepDays * DAY_MS)
      return found !== undefined
    },
    close: () => current?.changes.close(),
  }
}

interface Generation {
  name: string
  startedAt: number
  changes: ChangeReader
  sequence: number
  pictures: Set<string>
}

/** As 20260115T120000000Z: by name they are in the order of time. */
const nameOf = (now: number): string => new Date(now).toISOString().replaceAll(/[-:.]/g, '')

/** A copy is needed for as long as the one after it began too late. */
async function deleteOld(to: Blobs, current: string, before: number): Promise<void> {
  const names = new Set<string>()
  for await (const { name } of to.list()) names.add(name.split('/')[0] ?? '')
  const ordered = [...names].filter((name) => /^\d{8}T\d{9}Z$/.test(name)).toSorted()
  for (const [at, name] of ordered.entries()) {
    const next = ordered[at + 1]
    if (name !== current && next !== undefined && next < nameOf(before)) await to.deleteFolder(name)
  }
}
