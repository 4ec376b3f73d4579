import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { avatarBlobName } from '../account/avatar-name.ts'
import { StartError } from '../errors.ts'
import { copyPrivately, isCode, listFiles } from '../storage/durable-files.ts'

export interface Folders {
  from: string
  to: string
}

/** Copies every avatar there is. One that is deleted meanwhile is left out. */
export async function copyAvatars(folders: Folders): Promise<void> {
  for (const name of await listFiles(folders.from)) await copyOne(folders, name)
}

/** Each time takes milliseconds, and only a picture that is replaced within them makes another one necessary. */
const MAX_TRIES = 100

/**
 * Copies the avatars that the open read transaction names and the backup does not have yet. One whose file is gone was
 * replaced after the moment that the transaction sees, so the transaction is started again, at a later moment. An avatar
 * that is still named then, and still has no file, was lost before: no backup can have it.
 */
export async function copyNamedAvatars(
  source: DatabaseSync,
  folders: Folders | undefined,
  restartTransaction: () => void,
): Promise<void> {
  if (folders === undefined) return
  const missed = new Set<string>()
  for (let tries = 1; ; tries++) {
    const missing: string[] = []
    for (const name of listUncopied(source, folders)) if (!(await copyOne(folders, name))) missing.push(name)
    if (missing.every((name) => missed.has(name))) return
    if (tries === MAX_TRIES) throw new StartError('Avatars change faster than they can be copied. Try again later.')
    for (const name of missing) missed.add(name)
    restartTransaction()
  }
}

function listUncopied(source: DatabaseSync, { to }: Folders): string[] {
  const named = source.prepare('SELECT id, avatar_version AS version FROM users WHERE avatar_version IS NOT NULL')
  const names: string[] = []
  for (const { id, version } of named.iterate() as Iterable<{ id: string; version: string }>) {
    const name = avatarBlobName(id, version)
    if (!existsSync(join(to, name))) names.push(name)
  }
  return names
}

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
