import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from './blobs.ts'

const absent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

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
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
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
