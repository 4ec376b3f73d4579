import { describeFailure } from '../../describe-failure.ts'
import { loadSettings, readConfig, type SettingsSource } from '../../platform/config/config.ts'
import { describeMisspelt } from '../../platform/config/misspelt.ts'
import { isSetting } from '../../platform/config/secret-files.ts'
import { CHECKS, type Finding } from './checks.ts'
import { readArguments } from './usage.ts'
import { actAsOwner, describePlace, say } from './with-services.ts'

const USAGE = `Usage: latchkey check-config [--env-file <file>]

Reads the settings as the service would, and tries what they name: the data folder, the database, the secret key, the mail
server and the store of pictures. It changes nothing: in the store it writes one small object and deletes it again. The exit code
is 0 when the service can run, and 1 when something must be mended first.

Example:
  latchkey check-config --env-file /etc/latchkey/latchkey.env`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  readArguments(args, USAGE, { words: 0 })
  const { environment, file } = loadSettings(source)
  const config = readConfig(environment)
  say(describePlace(config, file))
  actAsOwner(config)
  const warnings = describeMisspelt(environment)
  const set = Object.keys(environment).filter((name) => isSetting(name) && environment[name] !== '')
  const rows: Row[] = [
    { what: 'settings', state: 'ok', says: set.length === 0 ? 'all at their defaults' : set.toSorted().join(', ') },
    ...warnings.map((says) => ({ what: 'settings', state: 'warning' as const, says })),
  ]
  for (const [what, check] of Object.entries(CHECKS)) {
    const finding = await check(config).catch((error: unknown): Finding => {
      return { state: 'failed', says: describeFailure(error).split('\n')[0] ?? '' }
    })
    rows.push({ what, ...finding })
  }
  print(rows)
  if (rows.some(({ state }) => state === 'failed')) process.exitCode = 1
}

type Row = Finding & { what: string }

function print(rows: Row[]): void {
  const widthOf = (read: (row: Row) => string) => Math.max(...rows.map((row) => read(row).length))
  const [first, second] = [widthOf(({ what }) => what), widthOf(({ state }) => state)]
  for (const { what, state, says } of rows) say(`${what.padEnd(first)}  ${state.padEnd(second)}  ${says}`)
}
