import { sql } from 'kysely'
import { sessionLives } from '../identity/sessions/session-store.ts'
import { IDLE_MS } from '../identity/sessions/session.ts'
import { accountMayAct } from '../identity/users/account-standing.ts'
import { mustConfirmFirst } from '../identity/users/allowed-email.ts'
import { packedRoles } from '../identity/users/user-row.ts'
import { mayUseClient } from '../oauth/access/allowed-role-store.ts'
import { clientExists } from '../oauth/clients/client-store.ts'
import { packedRuleRoles } from '../oauth/sites/site-row.ts'
import type { Reader } from '../storage/database.ts'
import { readStatement, type Values } from '../storage/statement.ts'

interface Asked {
  host: string
  /** Digests; empty when there is none. */
  cookieHash: string
  passwordHash: string
  now: number
  idleSince: number
}

/** The site of a host, and who visits it by a cookie or an app password: all that an answer depends on. */
const byHost = readStatement((db, value: Values<Asked>) =>
  db
    .selectFrom('proxy_hosts')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'proxy_hosts.client_id')
    .leftJoin('proxy_cookies', (join) =>
      join
        .on('proxy_cookies.token_hash', '=', value('cookieHash'))
        .onRef('proxy_cookies.host', '=', 'proxy_hosts.host'),
    )
    .leftJoin('sessions', (join) =>
      join
        .onRef('sessions.id', '=', 'proxy_cookies.session_id')
        .on((eb) => sessionLives(value('now'), value('idleSince'))(eb as never)),
    )
    .leftJoin('app_passwords', (join) =>
      join
        .on('app_passwords.password_hash', '=', value('passwordHash'))
        .onRef('app_passwords.client_id', '=', 'oauth_clients.client_id')
        .on('oauth_clients.basic', '=', 1)
        .on((eb) =>
          eb.or([eb('app_passwords.expires_at', 'is', null), eb('app_passwords.expires_at', '>', value('now'))]),
        ),
    )
    .leftJoin('users', (join) =>
      join
        .on(sql<boolean>`users.id = coalesce(app_passwords.user_id, sessions.user_id)`)
        .on((eb) => accountMayAct(eb as never)),
    )
    .where('proxy_hosts.host', '=', value('host'))
    .where(clientExists)
    .select([
      'oauth_clients.client_id as clientId',
      'oauth_clients.name as siteName',
      'oauth_clients.disabled_at as siteDisabledAt',
      'oauth_clients.rules',
      'oauth_clients.identity_headers as headerNames',
      'oauth_clients.basic',
      packedRuleRoles,
      'sessions.id as sessionId',
      'sessions.last_used_at as sessionUsedAt',
      'app_passwords.id as appPasswordId',
      'app_passwords.last_used_at as appPasswordUsedAt',
      'users.id as userId',
      'users.preferred_username as username',
      'users.email',
      'users.email_verified as emailVerified',
      'users.display_name as displayName',
      'users.given_name as givenName',
      'users.family_name as familyName',
      'users.locale',
      packedRoles.as('roles'),
      mayUseClient(sql.ref('users.id')).as('isAdmitted'),
      mustConfirmFirst.as('mustConfirm'),
    ]),
)

export type VisitRow = NonNullable<Awaited<ReturnType<typeof findVisit>>>

/** Undefined for a host that no site has. One query. */
export async function findVisit(db: Reader, asked: Omit<Asked, 'idleSince'>) {
  const [row] = await byHost(db, { ...asked, idleSince: asked.now - IDLE_MS })
  return row
}
