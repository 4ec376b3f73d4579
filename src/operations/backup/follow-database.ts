import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { Config } from '../../platform/config/config.ts'
import { AVATARS_FOLDER, SECRET_KEY_FILE, markFollowed } from '../../platform/config/data-files.ts'
import { VERSION } from '../../platform/config/version.ts'
import { sqliteFileOf } from '../../storage/database-url.ts'
import { isCode, listFiles } from '../../storage/durable-files.ts'
import { deleteOldCopies, type FollowedManifest, partName, timeName } from './followed-copies.ts'
import { MANIFEST } from './manifest.ts'
import { writeParts, openChanges, type ChangeReader, type ReadChanges } from './read-changes.ts'
import { verifyCopy } from './rebuild-backup.ts'

type BackupSettings = Pick<Config, 'databaseUrl' | 'dataDir' | 'secretKey' | 's3'>

export interface Follower {
  /**
   * Stores what was committed since the last time. Returns whether anything was. What could not be stored is stored first by
   * the next call, under the same name.
   */
  copy(): Promise<boolean>
  close(): void
}

/** A copy from which every later state can be rebuilt begins anew once a day, so that restoring it does not take long. */
const COPY_MS = 24 * 3600_000
const DAY_MS = 24 * 3600_000
/** How often it is checked that everything which was stored is still there. */
const CHECK_MS = 60_000
/** A database that is damaged is not copied again and again. */
const REFUSED_MS = 60_000

/** The copy that is being written. */
interface Current {
  name: string
  startedAt: number
  reader: ChangeReader
  /** The content of the key file; undefined with SECRET_KEY. */
  secretKey: Buffer | undefined
  /** Known when the database was read for the first time. */
  migrations: string[] | undefined
  /** The last change that is stored, whole. */
  sequence: number
  /** What was read and is not stored yet, or only some parts of it. Nothing more is read before it is. */
  pending: { at: number; changes: ReadChanges; partsStored: number } | undefined
  /** The names of everything that is stored. */
  stored: Set<string>
  checkedAt: number
  /** Older copies are deleted once this one is whole. */
  isTidy: boolean
}

/**
 * Copies a database while the service changes it: first all of it, and then, at each call, what was committed since. What is
 * stored is only added to; copies that no time of the last `keepDays` needs are deleted once a newer one is whole.
 */
export function followDatabase(
  config: BackupSettings,
  { to, now, keepDays }: { to: Blobs; now: () => number; keepDays: number },
): Follower {
  const file = sqliteFileOf(config.databaseUrl)
  if (file === undefined) throw new Error('Only a SQLite file can be followed.')
  let current: Current | undefined
  /** The last copy that could not be restored. */
  let refused: { at: number; error: StartError } | undefined

  const readSecretKey = async (): Promise<Buffer | undefined> =>
    config.secretKey === undefined ? readFile(join(config.dataDir, SECRET_KEY_FILE)) : undefined

  const begin = async (): Promise<Current> => ({
    // Two followers that begin at the same moment write two copies.
    name: `${timeName(now())}-${randomBytes(4).toString('hex')}`,
    startedAt: now(),
    secretKey: await readSecretKey(),
    reader: openChanges(file),
    migrations: undefined,
    sequence: 0,
    pending: undefined,
    stored: new Set(),
    checkedAt: now(),
    isTidy: false,
  })

  const end = (): void => {
    current?.reader.close()
    current = undefined
  }

  /**
   * False once another database has taken its place, as after a restore, or its keys are sealed with another secret, or it is a day
   * old. The age is no reason while the clock jumps back and forth by less.
   */
  const canGoOn = async ({ startedAt, reader, secretKey }: Current): Promise<boolean> =>
    Math.abs(now() - startedAt) < COPY_MS &&
    reader.isCurrent() &&
    (secretKey === undefined || (await readSecretKey())?.equals(secretKey) === true)

  /** It is read again, because an answer of the store does not prove that what it stores is whole. */
  const put = async ({ name, stored }: Current, path: string, bytes: Buffer, type: string): Promise<void> => {
    const blob = `${name}/${path}`
    await to.put(blob, bytes, type)
    if ((await to.get(blob))?.equals(bytes) !== true)
      throw new StartError(`${blob} was stored, but what can be read from the store is something else.`)
    stored.add(blob)
  }

  /** A picture never changes under its name. One that is gone was replaced, and the next call has the new one. */
  const storePictures = async (copy: Current): Promise<void> => {
    if (config.s3) return
    const folder = join(config.dataDir, AVATARS_FOLDER)
    for (const path of await listFiles(folder)) {
      if (copy.stored.has(`${copy.name}/${AVATARS_FOLDER}/${path}`) || !path.endsWith('.webp')) continue
      const bytes = await readFile(join(folder, path)).catch((error: unknown) => {
        if (!isCode(error, 'ENOENT')) throw error
      })
      if (bytes) await put(copy, `${AVATARS_FOLDER}/${path}`, bytes, 'image/webp')
    }
  }

  const storeManifest = async (copy: Current, migrations: string[]): Promise<void> => {
    if (copy.secretKey) await put(copy, SECRET_KEY_FILE, copy.secretKey, 'text/plain')
    const manifest: FollowedManifest = {
      format: 1,
      createdAt: new Date(copy.startedAt).toISOString(),
      latchkey: VERSION,
      migrations,
      secretKey: copy.secretKey ? 'in the backup' : 'in SECRET_KEY',
      avatars: config.s3 ? 'in the object store' : 'in the backup',
    }
    await put(copy, MANIFEST, Buffer.from(JSON.stringify(manifest)), 'application/json')
  }

  /** That everything was stored does not prove that the database can be restored. A copy that can't be is deleted. */
  const verify = async ({ name }: Current): Promise<void> => {
    try {
      await verifyCopy(to, name)
    } catch (error) {
      if (error instanceof StartError) {
        end()
        refused = { at: now(), error }
        await to.deleteFolder(name)
      }
      throw error
    }
  }

  /** The pictures first: what the pages name is there then. */
  const storePending = async (copy: Current): Promise<boolean> => {
    const { pending } = copy
    if (!pending) return false
    await storePictures(copy)
    const sequence = copy.sequence + 1
    let part = 0
    for (const bytes of writeParts(pending.changes)) {
      if (++part <= pending.partsStored) continue
      const path = partName(copy.name, { sequence, at: pending.at }, part).slice(copy.name.length + 1)
      await put(copy, path, bytes, 'application/octet-stream')
      pending.partsStored = part
    }
    if (sequence === 1) {
      await verify(copy)
      await storeManifest(copy, pending.changes.migrations)
    }
    copy.sequence = sequence
    copy.pending = undefined
    return true
  }

  /** What somebody else has deleted is not missed by any other request to the store. */
  const checkStored = async (copy: Current): Promise<boolean> => {
    if (Math.abs(now() - copy.checkedAt) < CHECK_MS) return false
    const there = new Set<string>()
    for await (const { name } of to.list(copy.name)) there.add(name)
    const missing = [...copy.stored].filter((name) => !there.has(name))
    if (missing.length > 0) {
      end()
      throw new StartError(
        `${missing.length} files are gone from the store, such as ${missing[0]}. Everything is copied anew.`,
      )
    }
    copy.checkedAt = now()
    return true
  }

  /** Returns the time before which everything acknowledged is stored, and whether anything had to be stored. */
  const copyChanges = async (): Promise<{ copy: Current; at: number; isStored: boolean }> => {
    if (refused && Math.abs(now() - refused.at) < REFUSED_MS) throw refused.error
    if (current && !(await canGoOn(current))) end()
    const copy = (current ??= await begin())
    const wasPending = await storePending(copy)
    const at = now()
    const changes = copy.reader.read()
    copy.migrations ??= changes?.migrations
    if (changes && String(changes.migrations) !== String(copy.migrations)) {
      // The manifest would say that an older version can restore it.
      end()
      return copyChanges()
    }
    copy.pending = changes && { at, changes, partsStored: 0 }
    const isStored = await storePending(copy)
    return { copy, at, isStored: wasPending || isStored }
  }

  return {
    async copy() {
      const { copy, at, isStored } = await copyChanges()
      await storePictures(copy)
      const isChecked = await checkStored(copy)
      // Without a word from the store nobody knows whether the copy is still there.
      if ((isStored || isChecked) && (await canGoOn(copy))) await markFollowed(config.dataDir, at)
      if (!copy.isTidy) await deleteOldCopies(to, now() - keepDays * DAY_MS)
      copy.isTidy = true
      return isStored
    },
    close: end,
  }
}
