import type { SettingsSource } from '../config/config.ts'
import { readArguments, UsageError } from './usage.ts'
import { sendOrRun, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey keys rotate [--now | --retire-previous]

  latchkey keys rotate                     publishes the next key; ten minutes later the service signs with it
  latchkey keys rotate --now               publishes it and signs with it at once, for a key that has leaked
  latchkey keys rotate --retire-previous   withdraws all earlier keys: what they signed is no longer accepted

Works while the service runs.

Example:
  latchkey keys rotate`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words, on } = readArguments(args, USAGE, { words: 1, switches: ['now', 'retire-previous'] })
  if (words[0] !== 'rotate') readArguments([], USAGE, { words: 1 })
  if (on.now && on['retire-previous']) throw new UsageError('--now and --retire-previous are two steps: one at a time.')
  const how = on['retire-previous'] ? 'retire-previous' : on.now ? 'at-once' : 'publish'
  say(await sendOrRun(readSettings(source), { name: 'rotate-keys', how }))
}
