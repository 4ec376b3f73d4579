import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from '../../errors.ts'
import type { SettingsSource } from '../../platform/config/config.ts'
import { writeSettings } from '../../platform/config/write-settings.ts'
import { isCode, makeFolder } from '../../storage/durable-files.ts'
import { readArguments, UsageError } from './usage.ts'
import { say } from './with-services.ts'

const USAGE = `Usage: latchkey init [<file>]

Writes a settings file with a comment on every setting: the given file, or .env in the working folder. It never overwrites one.

Example:
  latchkey init /etc/latchkey/latchkey.env`

export async function run(args: string[], { envFile }: SettingsSource): Promise<void> {
  const { words } = readArguments(args, USAGE, { words: [0, 1] })
  if (envFile !== undefined && words.length > 0) throw new UsageError('Name the file once.')
  const file = resolve(words[0] ?? envFile ?? '.env')
  try {
    makeFolder(dirname(file))
    // It will hold secrets.
    writeFileSync(file, writeSettings(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw new StartError(`${file} is there already. It is left as it is.`)
    throw error
  }
  say(`${file} is written. Set BASE_URL in it, then run latchkey check-config.`)
}
