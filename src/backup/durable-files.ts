import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** A copy that only we can read. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
  const file = await open(to, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The names in a folder are durable only once the folder itself is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Every file below a folder by its path from there, without those that are still being written. */
export async function listFiles(folder: string, below = ''): Promise<string[]> {
  try {
    const entries = await readdir(join(folder, below), { withFileTypes: true })
    const lists = await Promise.all(
      entries.map(async (entry) => {
        const path = below === '' ? entry.name : `${below}/${entry.name}`
        if (entry.isDirectory()) return listFiles(folder, path)
        return entry.isFile() && !path.endsWith('.part') ? [path] : []
      }),
    )
    return lists.flat().toSorted()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}
