import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments } from './usage.ts'
import { sendOrRun, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey admin <grant | recover | remove-app> <email>

grant       makes the account with that email an administrator, for example when no administrator can sign in any more
recover     prints a link with which its owner sets up a passkey or a second step that a role demands, also in place of one that
            was lost; it works once, within 24 hours, after a sign-in to that account
remove-app  removes an authenticator app that was lost with all recovery codes, so that the password alone signs in; its owner is told

The account must exist and be enabled. All take effect at once, also while the service runs, and are recorded in the audit trail.

Example:
  latchkey admin grant ada@example.com`

const NAMES = new Map<string, 'grant-administrator' | 'recover' | 'remove-app'>([
  ['grant', 'grant-administrator'],
  ['recover', 'recover'],
  ['remove-app', 'remove-app'],
])

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words } = readArguments(args, USAGE, { words: 2 })
  const [verb = '', email = ''] = words
  const name = NAMES.get(verb)
  if (name === undefined) return void readArguments([], USAGE, { words: 2 })
  say(await sendOrRun(readSettings(source), { name, email }))
}
