import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isCode } from './durable-files.ts'

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
