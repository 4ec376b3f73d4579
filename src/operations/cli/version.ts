import type { SettingsSource } from '../../platform/config/config.ts'
import { VERSION } from '../../platform/config/version.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { readArguments } from './usage.ts'
import { say } from './with-services.ts'

const USAGE = `Usage: latchkey version

Prints the version of this command, the Node that it runs on, and where it is installed. latchkey status says which version
the running service has.

Example:
  latchkey version`

export async function run(args: string[], _source: SettingsSource): Promise<void> {
  readArguments(args, USAGE, { words: 0 })
  say(`latchkey ${VERSION}`)
  say(`node ${process.versions.node}`)
  say(`installed in ${ROOT_FOLDER}`)
}
