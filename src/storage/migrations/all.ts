import { type Kysely, SqliteAdapter, sql } from 'kysely'
import { users } from './0001-users.ts'
import { sessions } from './0002-sessions.ts'
import { passkeys } from './0003-passkeys.ts'
import { oauth } from './0004-oauth.ts'
import { ssh } from './0005-ssh.ts'
import { lifecycle } from './0006-lifecycle.ts'
import { background } from './0007-background.ts'
import { deleted } from './0008-deleted.ts'
import { outgoingMail } from './0009-outgoing-mail.ts'
import { knownBrowsers } from './0010-known-browsers.ts'
import { confirmedAddresses } from './0011-confirmed-addresses.ts'
import { lostPrincipals } from './0012-lost-principals.ts'
import { oauthSingleUse } from './0013-oauth-single-use.ts'
import { signInMethods } from './0014-sign-in-methods.ts'
import { applications } from './0015-applications.ts'
import { deviceCodes } from './0016-device-codes.ts'
import { sshHosts } from './0017-ssh-hosts.ts'
import { people } from './0018-people.ts'
import { proxiedSites } from './0019-proxied-sites.ts'
import { sshCaRotation } from './0020-ssh-ca-rotation.ts'
import { failedJobs } from './0021-failed-jobs.ts'
import { unreadNotifications } from './0022-unread-notifications.ts'
import { usersByStatus } from './0023-users-by-status.ts'
import { finishedActions } from './0024-finished-actions.ts'
import { clientsOff } from './0025-clients-off.ts'
import { formerHosts } from './0026-former-hosts.ts'
import { restoredAddresses } from './0027-restored-addresses.ts'
import { formerlyConfirmed } from './0028-formerly-confirmed.ts'
import { outbox } from './0029-outbox.ts'
import { sshSessions } from './0030-ssh-sessions.ts'
import { hostsInStep } from './0031-hosts-in-step.ts'
import { sshAccounts } from './0032-ssh-accounts.ts'
import { freshSignIn } from './0033-fresh-sign-in.ts'
import { secondStep } from './0034-second-step.ts'
import { applicationDemands } from './0035-application-demands.ts'
import { roleDemands } from './0036-role-demands.ts'
import { conditionalPasskeys } from './0037-conditional-passkeys.ts'
import { plannedRoleDemands } from './0038-planned-role-demands.ts'

export interface Migration {
  name: string
  // A step sees the database as it was at its time, not as the schema type describes it today.
  up(db: Kysely<unknown>): Promise<void>
}

/**
 * Definitions are plain SQL that both engines read alike: text, bigint and smallint (for truth values), JSON as text,
 * times as bigint milliseconds.
 */
const inSql = (name: string, definition: string | ((ascendingKey: string) => string)): Migration => ({
  name,
  async up(db) {
    const text = typeof definition === 'string' ? definition : definition(ascendingKeyOf(db))
    for (const statement of text.split(';')) {
      if (statement.trim() !== '') await sql.raw(statement).execute(db)
    }
  },
})

/** The one definition that the engines do not share: a primary key that the database makes, each greater than those before. */
const ascendingKeyOf = (db: Kysely<unknown>): string =>
  db.getExecutor().adapter instanceof SqliteAdapter
    ? 'integer primary key'
    : 'bigint generated always as identity primary key'

export const MIGRATIONS: readonly Migration[] = [
  inSql('0001-users', users),
  inSql('0002-sessions', sessions),
  inSql('0003-passkeys', passkeys),
  inSql('0004-oauth', oauth),
  inSql('0005-ssh', ssh),
  inSql('0006-lifecycle', lifecycle),
  inSql('0007-background', background),
  inSql('0008-deleted', deleted),
  inSql('0009-outgoing-mail', outgoingMail),
  inSql('0010-known-browsers', knownBrowsers),
  inSql('0011-confirmed-addresses', confirmedAddresses),
  inSql('0012-lost-principals', lostPrincipals),
  inSql('0013-oauth-single-use', oauthSingleUse),
  inSql('0014-sign-in-methods', signInMethods),
  inSql('0015-applications', applications),
  inSql('0016-device-codes', deviceCodes),
  inSql('0017-ssh-hosts', sshHosts),
  inSql('0018-people', people),
  inSql('0019-proxied-sites', proxiedSites),
  inSql('0020-ssh-ca-rotation', sshCaRotation),
  inSql('0021-failed-jobs', failedJobs),
  inSql('0022-unread-notifications', unreadNotifications),
  inSql('0023-users-by-status', usersByStatus),
  inSql('0024-finished-actions', finishedActions),
  inSql('0025-clients-off', clientsOff),
  inSql('0026-former-hosts', formerHosts),
  inSql('0027-restored-addresses', restoredAddresses),
  inSql('0028-formerly-confirmed', formerlyConfirmed),
  inSql('0029-outbox', outbox),
  inSql('0030-ssh-sessions', sshSessions),
  inSql('0031-hosts-in-step', hostsInStep),
  inSql('0032-ssh-accounts', sshAccounts),
  inSql('0033-fresh-sign-in', freshSignIn),
  inSql('0034-second-step', secondStep),
  inSql('0035-application-demands', applicationDemands),
  inSql('0036-role-demands', roleDemands),
  inSql('0037-conditional-passkeys', conditionalPasskeys),
  inSql('0038-planned-role-demands', plannedRoleDemands),
]
