import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { copyPrivately, isCode, listFiles } from '../../storage/durable-files.ts'
import type { Snapshot } from './database-file-store.ts'

export interface Folders {
  from: string
  to: string
}

/** Copies every picture there is. One that is deleted meanwhile is left out. */
export async function copyPictures(folders: Folders): Promise<void> {
  for (const name of await listFiles(folders.from)) await copyOne(folders, name)
}

/** A try takes milliseconds. Another one is necessary only when a picture is replaced within them. */
const MAX_TRIES = 100

/**
 * Copies the pictures that the snapshot of the database names and the backup does not have yet. One whose file is gone was
 * replaced after the moment of the snapshot, so the snapshot is taken again, at a later moment. A picture that is still
 * named then, and still has no file, was lost before: no backup can have it.
 */
export async function copyNamedPictures(snapshot: Snapshot, folders: Folders | undefined): Promise<void> {
  if (folders === undefined) return
  const missed = new Set<string>()
  for (let tries = 1; ; tries++) {
    const missing: string[] = []
    for (const name of listUncopied(snapshot, folders)) if (!(await copyOne(folders, name))) missing.push(name)
    if (missing.every((name) => missed.has(name))) return
    if (tries === MAX_TRIES) throw new StartError('Pictures change faster than they can be copied. Try again later.')
    for (const name of missing) missed.add(name)
    snapshot.restart()
  }
}

const listUncopied = (snapshot: Snapshot, { to }: Folders): string[] =>
  snapshot.pictures().filter((name) => !existsSync(join(to, name)))

/** False when it is not there. A picture never changes under its name, so one that was copied is not copied again. */
async function copyOne({ from, to }: Folders, name: string): Promise<boolean> {
  if (existsSync(join(to, name))) return true
  try {
    await copyPrivately(join(from, name), join(to, name))
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}
