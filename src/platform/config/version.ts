import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_FOLDER } from '../../root-folder.ts'

const { version } = JSON.parse(readFileSync(join(ROOT_FOLDER, 'package.json'), 'utf8')) as {
  version: string
}

/** The version of Latchkey, as package.json has it. */
export const VERSION: string = version
