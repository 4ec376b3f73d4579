import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder that Latchkey is installed in, which has package.json. The bundle in `dist` has its files elsewhere than the
 * sources, so that a path from one of them would be right in only one of the two.
 */
export const ROOT_FOLDER: string = findRoot(import.meta.dirname)

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder)
    throw new Error('package.json is not in a folder above the program: it is not installed whole.')
  return findRoot(parent)
}
