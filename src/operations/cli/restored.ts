import type { SettingsSource } from '../../platform/config/config.ts'
import type { Recovered } from '../backup/recover.ts'
import { readArguments } from './usage.ts'
import { readSettings, withServices, say } from './with-services.ts'

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

/** What was done, and what has to be done by hand. */
export function printRecovered({ copiedAt, serials, ended, givenUp, cancelled, pending }: Recovered): void {
  say(
    ended
      ? `Ended: ${ended.sessions} sessions, ${ended.authorizations} authorizations of applications, ${ended.tokens} tokens, ${ended.links} mailed links, ${ended.certificates} SSH certificates.`
      : 'Sessions, tokens, mailed links and SSH certificates of the backup were kept.',
  )
  say(`SSH certificates that were issued after the backup are revoked: serials ${serials.first} to ${serials.last}.`)
  if (givenUp > 0) say(`Given up: ${givenUp} messages that were still to be told to webhooks and applications.`)
  if (cancelled > 0) say(`Cancelled: ${cancelled} plans to enable an account that became due since then.`)
  const since = copiedAt === null ? 'an unknown time' : new Date(copiedAt).toISOString()
  process.stderr.write(`
WARNING: whatever changed after ${since} is lost. Check by hand, and do it again:
  - accounts that were disabled or deleted, and roles that were taken away
  - passwords that were changed, passkeys and SSH keys that were removed
  - applications that were removed or got a new secret, and consents that were withdrawn
  - planned actions: ${pending} are pending
  - the signing key: if it was replaced since then, run latchkey keys rotate --now and then --retire-previous
  - SSH hosts: one whose token was made since then is shown as needing attention, and needs a new enrolment line. If an SSH
    authority was rotated since then (keys rotate-ssh-ca), all hosts need one
  - invitations${ended ? ' and links to set a password: they must be sent again' : ''}${
    ended ? '' : '\n  - sessions, tokens and certificates that were ended since then: they are valid again'
  }
Every administrator gets a notification; the audit trail has the event service.restored.
`)
}
