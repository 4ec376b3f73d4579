import type { Recovered } from '../backup/recover.ts'
import { say } from './with-services.ts'

/** What was done, and what has to be done by hand. */
export function printRecovered({ copiedAt, serials, ended, cancelled, pending }: Recovered): void {
  say(
    ended
      ? `Ended: ${ended.sessions} sessions, ${ended.authorizations} authorizations of applications, ${ended.tokens} tokens, ${ended.links} mailed links, ${ended.certificates} SSH certificates.`
      : 'Sessions, tokens, mailed links and SSH certificates of the copy were kept.',
  )
  say(`SSH certificates that were issued after the copy are revoked: serials ${serials.first} to ${serials.last}.`)
  if (cancelled > 0) say(`Cancelled: ${cancelled} plans to enable an account that fell due since.`)
  const since = copiedAt === null ? 'an unknown time' : new Date(copiedAt).toISOString()
  process.stderr.write(`
WARNING: whatever changed after ${since} is as it was then. Check by hand, and do again:
  - accounts that were disabled or deleted, and roles that were taken away
  - passwords that were changed, passkeys and SSH keys that were removed
  - applications that were removed or got a new secret, and consents that were withdrawn
  - planned actions: ${pending} are pending
  - the signing key: if it was replaced since, run latchkey keys rotate --now and then --retire-previous
  - invitations${ended ? ' and links to set a password: they must be sent again' : ''}${
    ended ? '' : '\n  - sessions, tokens and certificates that were ended since: they are back'
  }
Every administrator finds this among the notifications; the audit trail has it as service.restored.
`)
}
