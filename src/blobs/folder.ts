import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Blobs } from './blobs.ts'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const absent = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** No space left, none left for this account, a file grown beyond its limit, a disk that fails or only reads. */
const AWAY = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])

const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'Pictures can’t be stored at the moment. Please try again.', { retryAfter: 5, cause })

export function createFolderBlobs(folder: string): Blobs {
  // Names are made by us from identifiers; this holds even if one day they are not.
  const pathOf = (name: string): string => {
    if (!/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*(\.[a-z0-9]+)?$/.test(name))
      throw new Error('A blob may not have this name.')
    return join(folder, name)
  }
  return {
    /** Written beside its place and moved there when it is on the disk, so that nobody ever reads half of it. */
    async put(name, bytes) {
      const path = pathOf(name)
      const unfinished = `${path}.${randomUUID()}.part`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeDurably(unfinished, bytes)
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw AWAY.has(codeOf(error)) ? unavailable(error) : error
      }
    },
    async get(name) {
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if (absent(error)) return undefined
        throw error
      }
    },
    delete: (name) => rm(pathOf(name), { force: true }),
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
