import { readFileSync } from 'node:fs'
import { StartError } from '../../errors.ts'
import { VARIABLES, type VariableName } from './variables.ts'

const SUFFIX = '_FILE'

/** The variables that name a file with a secret, such as SECRET_KEY_FILE. */
export const FILE_NAMES: ReadonlySet<string> = new Set(
  Object.entries(VARIABLES).flatMap(([name, variable]) => ('secret' in variable ? [name + SUFFIX] : [])),
)

/** Whether there is a setting of this name. */
export const isSetting = (name: string): boolean => Object.hasOwn(VARIABLES, name) || FILE_NAMES.has(name)

/**
 * The text of a setting. A secret may be in a file that another variable names, as container platforms provide them; one
 * final line break is not part of it. What a file holds is never shown.
 */
export function readSetting(environment: Record<string, string | undefined>, name: VariableName): string | undefined {
  // Compose files and .env templates set what they leave out to the empty string.
  const text = environment[name] || undefined
  const fileName = name + SUFFIX
  const file = FILE_NAMES.has(fileName) ? environment[fileName] || undefined : undefined
  if (file === undefined) return text
  if (text !== undefined) throw new StartError(`${name} and ${fileName} are both set. Set only one of them.`)
  const content = readSecret(fileName, file)
  if (content === '') throw new StartError(`${fileName} names ${JSON.stringify(file)}, which is empty.`)
  return content
}

function readSecret(fileName: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new StartError(`${fileName} names ${JSON.stringify(file)}, which can't be read (${code}).`, { cause: error })
  }
}
