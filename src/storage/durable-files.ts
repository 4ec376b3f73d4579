import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

// The content of a file survives a power cut once the file is synced, and its name once its folder is synced.
// What depends on a file (a row that names it, a value that it decrypts) is committed after both.

/** The code of an error of the operating system, such as ENOENT. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

export const isCode = (error: unknown, code: string): boolean => codeOf(error) === code

/** Another request may remove the folder at the same moment, because it is empty. Then it is made again. */
const MAX_TRIES = 5

/**
 * Stores a file below `root`, readable by our user only. It is written under another name and renamed when it is on the
 * disk, so that it is never read half-written. When this resolves, the file and every folder from `root` on are durable.
 */
export async function storeFile(root: string, path: string, bytes: Buffer | string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const unfinished = `${path}.${randomUUID()}.part`
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeDurably(unfinished, bytes)
      await rename(unfinished, path)
      await syncFolders(dirname(path), dirname(resolve(root)))
      return
    } catch (error) {
      await rm(unfinished, { force: true })
      if (tries === MAX_TRIES || !isCode(error, 'ENOENT')) throw error
    }
  }
}

/** Writes a new file that only our user can read. */
export async function writeDurably(path: string, bytes: Buffer | string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes a copy that only our user can read. */
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

/** A folder that we may write to but not read, such as the parent of the data folder, can't be synced: that is no error. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(folder, 'r')
  } catch (error) {
    if (isCode(error, 'EACCES')) return
    throw error
  }
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A folder and those above it, up to and including `top`. */
async function syncFolders(folder: string, top: string): Promise<void> {
  for (let each = resolve(folder); ; each = dirname(each)) {
    await syncFolder(each)
    if (each === top || each === dirname(each)) return
  }
}

/** A folder and every folder below it. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(folder, entry.name))
  }
  await syncFolder(folder)
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

/**
 * Makes a folder that only our user can use, with the folders above it, all durable. `mkdirSync` with `recursive` never
 * returns where the system answers ENOENT although the parent exists, as below /proc, so this makes the parents itself.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it since.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
  syncFolderNow(parent)
}

/** A folder that we may write to but not read can't be synced by us. */
function syncFolderNow(folder: string): void {
  let descriptor: number
  try {
    descriptor = openSync(folder, 'r')
  } catch (error) {
    if (isCode(error, 'EACCES')) return
    throw error
  }
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
