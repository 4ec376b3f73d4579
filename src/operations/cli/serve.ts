import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments } from './usage.ts'

const USAGE = `Usage: latchkey serve [--env-file <file>]

Runs the service until SIGTERM or Ctrl+C. It creates what is missing: its data folder, its database, its keys. Settings come
from the environment and from one file: the given one, .env in the working folder, or /etc/latchkey/latchkey.env. The start
says which file and which data folder it uses.

Example:
  BASE_URL=https://id.example.com latchkey serve`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  readArguments(args, USAGE, { words: 0 })
  const { start } = await import('../../start.ts')
  await start(source)
}
