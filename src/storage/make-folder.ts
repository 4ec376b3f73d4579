import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that only we can use, with the folders above it. `mkdirSync` with `recursive` never ends where the system
 * says ENOENT although the parent is there, as below /proc, so that this goes upwards by itself.
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
}
