import type { SettingsSource } from '../../platform/config/config.ts'
import { printRecovered } from './print-recovered.ts'
import { readArguments } from './usage.ts'
import { readSettings, withServices } from './with-services.ts'

const USAGE = `Usage: latchkey restored [--keep-access]

To be run once after other tools, such as pg_restore, have restored the configured database from a backup, and before the
service starts. It does the same as latchkey restore: no SSH serial is issued twice, certificates that were issued after the
backup are revoked, and every session, token, mailed link and certificate ends, unless --keep-access is given.

Example:
  pg_restore --dbname="$DATABASE_URL" --no-owner latchkey.dump && latchkey restored`

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { on } = readArguments(args, USAGE, { words: 0, switches: ['keep-access'] })
  const { recover } = await import('../backup/recover.ts')
  const config = readSettings(source)
  printRecovered(await withServices(config, (services) => recover(services, { keepAccess: on['keep-access'] })))
}
