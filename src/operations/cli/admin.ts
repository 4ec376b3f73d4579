import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments } from './usage.ts'
import { sendOrRun, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey admin grant <email>

Makes the account with that email an administrator, for example when no administrator can sign in any more. The account must
exist and be enabled. It takes effect at once, also while the service runs, and is recorded in the audit trail.

Example:
  latchkey admin grant ada@example.com`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words } = readArguments(args, USAGE, { words: 2 })
  const [verb = '', email = ''] = words
  if (verb !== 'grant') readArguments([], USAGE, { words: 2 })
  say(await sendOrRun(readSettings(source), { name: 'grant-administrator', email }))
}
