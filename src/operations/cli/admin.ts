import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments } from './usage.ts'
import { sendOrRun, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey admin <grant | recover> <email>

grant     makes the account with that email an administrator, for example when no administrator can sign in any more
recover   prints a link with which its owner sets up a passkey or a second step that a role demands, also in place of one that was
          lost; it works once, within 24 hours, after a sign-in to that account

The account must exist and be enabled. Both take effect at once, also while the service runs, and are recorded in the audit trail.

Example:
  latchkey admin grant ada@example.com`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words } = readArguments(args, USAGE, { words: 2 })
  const [verb = '', email = ''] = words
  if (verb !== 'grant' && verb !== 'recover') readArguments([], USAGE, { words: 2 })
  say(await sendOrRun(readSettings(source), { name: verb === 'recover' ? 'recover' : 'grant-administrator', email }))
}
