import type { Dirent } from 'node:fs'
import { opendir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, isCode, storeFile } from '../../storage/durable-files.ts'
import { blobErrors } from './blob-errors.ts'
import type { Blobs, StoredBlob } from './blobs.ts'

/** The disk or a quota is full, the file is larger than allowed, or the disk fails or is read-only. */
const UNAVAILABLE_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])

/** Another request may put something into a folder while it is removed. */
const MAX_RETRIES = 3

export function createFolderBlobs(root: string): Blobs {
  // Names are made from identifiers, so they always match. The check is a second line of defence against path traversal.
  const pathOf = (name: string): string => {
    if (!/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*(\.[A-Za-z0-9-]+)*$/.test(name))
      throw new Error('A blob may not have this name.')
    return join(root, name)
  }
  return {
    async put(name, bytes) {
      try {
        await storeFile(root, pathOf(name), bytes)
      } catch (error) {
        throw UNAVAILABLE_CODES.has(codeOf(error))
          ? blobErrors.disk_unavailable({ retryAfter: 5, cause: error })
          : error
      }
    },
    async get(name) {
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if (isCode(error, 'ENOENT')) return undefined
        throw error
      }
    },
    async delete(name) {
      const path = pathOf(name)
      await rm(path, { force: true })
      // Removes an empty folder; while there is another file in it, this fails.
      if (dirname(path) !== root) await rmdir(dirname(path)).catch(() => {})
    },
    deleteFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true, maxRetries: MAX_RETRIES }),
    list: (folder = '') => walk(root, folder),
  }
}

/** Unfinished files are listed too: one whose process died stays until it is deleted. */
async function* walk(root: string, below: string): AsyncGenerator<StoredBlob> {
  for await (const entry of entriesOf(join(root, below))) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, name)
    else if (entry.isFile()) {
      const modifiedAt = await modificationOf(join(root, name))
      if (modifiedAt !== undefined) yield { name, modifiedAt }
    }
  }
}

async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
}

async function modificationOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}
