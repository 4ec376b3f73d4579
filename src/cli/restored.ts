import { printRecovered } from './print-recovered.ts'
import { readArguments } from './usage.ts'
import { readSettings, withServices } from './with-services.ts'

const USAGE = `Usage: latchkey restored [--keep-access]

Says that the configured database was restored from an older copy by other tools, such as pg_restore. Run it once after
each restore and before the service starts. It does what latchkey restore does to what it restores: no SSH serial is given
out twice, certificates that were issued after the copy are revoked, and every session, token, mailed link and certificate
ends, unless --keep-access is given.`

export async function run(args: string[]): Promise<void> {
  const { on } = readArguments(args, USAGE, { words: 0, switches: ['keep-access'] })
  const { recover } = await import('../backup/recover.ts')
  const config = readSettings()
  printRecovered(await withServices(config, (services) => recover(services, { keepAccess: on['keep-access'] })))
}
