import { sql } from 'kysely'
import { visitMeetsDemand } from '../identity/roles/role-demands.ts'
import { sessionLives } from '../identity/sessions/session-store.ts'
import { IDLE_MS } from '../identity/sessions/session.ts'
import { accountMayAct } from '../identity/users/account-state.ts'
import { mustConfirmFirst } from '../identity/users/email-address.ts'
import { packedRoles, unpackRoles } from '../identity/users/user-store.ts'
import { mayEnterSite, mayUseClient } from '../oauth/clients/allowed-role-store.ts'
import { clientExists } from '../oauth/clients/client-store.ts'
import { fallsShort } from '../oauth/clients/demands.ts'
import { packedRuleRoles } from '../oauth/sites/site-settings.ts'
import { isDue, MAX_CLOCK_SKEW_MS } from '../storage/columns.ts'
import type { Reader } from '../storage/database.ts'
import { type Values, readStatement } from '../storage/statement.ts'
import { USER_ROLE } from '../vocabulary/built-in-roles.ts'
import type { Locale } from '../vocabulary/locales.ts'
import { acrOf } from '../vocabulary/sign-in-methods.ts'

/** A person at a site. */
export interface Visitor {
  id: string
  username: string
  email: string
  isEmailVerified: boolean
  name: string
  locale: Locale | null
  roleIds: string[]
  /** Names of roles, without the one that everybody has, sorted. */
  groups: string[]
  /** By the roles that the site as a whole admits. */
  isAdmitted: boolean
  /** Has to confirm the address before it gives access anywhere. */
  mustConfirm: boolean
}

type PersonRow = Pick<
  VisitRow,
  | 'userId'
  | 'username'
  | 'email'
  | 'emailVerified'
  | 'displayName'
  | 'givenName'
  | 'familyName'
  | 'locale'
  | 'roles'
  | 'isAdmitted'
  | 'mustConfirm'
>

/** Undefined when nobody is signed in there. */
export function toVisitor(row: PersonRow): Visitor | undefined {
  if (row.userId === null) return undefined
  const roles = unpackRoles(row.roles)
  return {
    id: row.userId,
    username: row.username ?? '',
    email: row.email ?? '',
    isEmailVerified: row.emailVerified === 1,
    name: row.displayName ?? [row.givenName, row.familyName].filter((part) => part !== null).join(' '),
    locale: row.locale,
    roleIds: roles.map(({ id }) => id),
    groups: roles.flatMap(({ id, name }) => (id === USER_ROLE ? [] : [name])),
    // SQLite's truth values are numbers.
    isAdmitted: Boolean(row.isAdmitted),
    mustConfirm: Boolean(row.mustConfirm),
  }
}

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
        .on((eb) => accountMayAct(eb as never))
        .on(visitMeetsDemand),
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
      'oauth_clients.required_acr as requiredAcr',
      'oauth_clients.session_max_age as sessionMaxAge',
      packedRuleRoles,
      'proxy_cookies.created_at as signedInAt',
      'sessions.id as sessionId',
      'sessions.method',
      'sessions.amr',
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

/**
 * Whether the sign-in behind a cookie is what the site demands: strong enough, also where that was demanded later, and no longer ago than
 * visits last. An app password was made by a sign-in that was.
 */
export function isSignInEnough(row: VisitRow, now: number): boolean {
  const { appPasswordId, sessionId, method, amr, signedInAt, sessionMaxAge } = row
  if (appPasswordId !== null || sessionId === null || method === null || amr === null || signedInAt === null)
    return true
  if (fallsShort(row, { acr: acrOf({ method, amr: amr.split(' ') }) })) return false
  if (sessionMaxAge === null) return true
  const lifetime = sessionMaxAge * 1000
  return !isDue(signedInAt + lifetime, now, lifetime + MAX_CLOCK_SKEW_MS)
}

const entries = (db: Reader, userId: string) =>
  db
    .selectFrom('oauth_clients')
    .leftJoin('users', (join) => join.on('users.id', '=', userId).on((eb) => accountMayAct(eb as never)))
    .where(clientExists)
    .where('oauth_clients.client_type', '=', 'proxied')
    .select([
      'oauth_clients.client_id as clientId',
      'oauth_clients.name as siteName',
      'oauth_clients.disabled_at as siteDisabledAt',
      'oauth_clients.rules',
      'oauth_clients.identity_headers as headerNames',
      'oauth_clients.basic',
      'oauth_clients.required_acr as requiredAcr',
      'oauth_clients.max_auth_age as maxAuthAge',
      packedRuleRoles,
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
      mayEnterSite(sql.ref('users.id')).as('mayEnter'),
      mustConfirmFirst.as('mustConfirm'),
    ])

/** The site of a host, and a person before it. Undefined for a host that no site has; without the person when they may not act. */
export const findEntry = (db: Reader, host: string, userId: string) =>
  entries(db, userId)
    .innerJoin('proxy_hosts', 'proxy_hosts.client_id', 'oauth_clients.client_id')
    .where('proxy_hosts.host', '=', host)
    .executeTakeFirst()

/** The same by the id of the site, with its hosts. */
export const findEntryOfSite = (db: Reader, clientId: string, userId: string) =>
  entries(db, userId).where('oauth_clients.client_id', '=', clientId).select('oauth_clients.hosts').executeTakeFirst()
