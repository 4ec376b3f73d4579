import { USER_ROLE } from '../src/vocabulary/built-in-roles.ts'

/** How many rows the database gets. */
export interface Sizes {
  users: number
  tokens: number
  certificates: number
}

export interface Growth extends Sizes {
  now: number
  /** An existing user who gets a tenth of the certificates and notifications, so that their own lists are long too. */
  heavyUserId?: string | undefined
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const CLIENTS = 1000

/**
 * The statements that fill a database, in SQL that both engines accept. Every value is computed from the row's number and
 * nothing is random, so that a reference to another row is the same computation. Digests have the right length, but no token
 * belongs to them.
 */
export function growthStatements(growth: Growth): string[] {
  const { users, tokens, certificates } = growth
  const clients = Math.min(CLIENTS, users)
  return [
    ...people(growth, clients),
    ...tokensOf({ users, tokens, clients, now: growth.now }),
    ...certificatesOf(growth),
    `update counters set value = value + ${certificates} where name = 'ssh_serial'`,
    ...notificationsAndEvents(growth),
    ...(growth.heavyUserId === undefined ? [] : rowsOfHeavyUser(growth, growth.heavyUserId, clients)),
  ]
}

/** Expired rows that the sweeper has not deleted yet. */
export const expiredStatements = (tokens: number, notifications: number, now: number): string[] => [
  accessTokens(tokens, 'expired', 'null', `${now - 30 * DAY} + n`),
  insertInCreationOrder('notifications', notifications, {
    id: notificationId(1),
    user_id: '(select id from users order by id limit 1)',
    type: `'security.password_changed'`,
    data: `'{}'`,
    created_at: `${now - 200 * DAY} + n`,
  }),
]

const numbersUpTo = (count: number): string =>
  `with recursive numbers (n) as (select cast(1 as bigint) where ${Math.floor(count)} > 0
    union all select n + 1 from numbers where n < ${Math.floor(count)})`

const IN_KEY_ORDER = ' order by 1'

/** Inserts rows in the order of their key: adding them to its index is then many times as fast. */
const insertInKeyOrder = (table: string, count: number, values: Record<string, string>): string =>
  insertInCreationOrder(table, count, values) + IN_KEY_ORDER

/** The same rows in the order of their creation, for a table whose index is built later. */
export const inCreationOrder = (statement: string): string =>
  statement.endsWith(IN_KEY_ORDER) ? statement.slice(0, -IN_KEY_ORDER.length) : statement

/** Inserts rows in the order of their creation, for tables that are read in that order. */
const insertInCreationOrder = (table: string, count: number, values: Record<string, string>): string =>
  `insert into ${table} (${Object.keys(values).join(', ')}) ${numbersUpTo(count)}
    select ${Object.values(values).join(', ')} from numbers`

/** Multiplying by an odd number permutes the numbers below 2^32: no two results are equal, and neighbours are far apart. */
const permuted = (n: string, factor: number): string => `cast(10000000000 + ((${n}) * ${factor}) % 4294967296 as text)`

/** 43 characters, the length of a SHA-256 digest in base64url. */
const digestOf = (n: string, kind: string): string =>
  `substr(${permuted(n, 2_654_435_761)} || ${permuted(n, 2_246_822_519)} || ${permuted(n, 3_266_489_917)} || '-${kind}-----------', 1, 43)`

const userId = (n: string): string => `'usr_' || ${permuted(n, 2_654_435_761)} || ${permuted(n, 2_246_822_519)}`
const clientId = (n: string): string => `'grown-client-' || cast(${n} as text)`
/** The format of real ids, and smaller than any of them. */
const notificationId = (kind: number): string =>
  `'00000000-0000-7000-800${kind}-' || substr(cast(1000000000000 + n as text), 2)`
/** A number from 1 to `count` that repeats. */
const repeating = (n: string, count: number): string => `((${n}) % ${count} + 1)`

/** Times spread evenly over the given milliseconds before now. */
const spreadOver = (n: string, count: number, now: number, milliseconds: number): string => {
  const step = Math.max(1, Math.floor(milliseconds / Math.max(1, count)))
  return `${now - step * Math.floor(count)} + (${n}) * ${step}`
}

function people({ users, now }: Growth, clients: number): string[] {
  const created = spreadOver('n', users, now, 730 * DAY)
  return [
    insertInCreationOrder('users', users, {
      id: userId('n'),
      email: `'grown' || cast(n as text) || '@example.com'`,
      display_name: `'Ada Grown ' || cast(n as text)`,
      preferred_username: `'grown' || cast(n as text)`,
      disabled_at: `case when n % 100 = 0 then ${now - HOUR} end`,
      created_at: created,
    }),
    insertInKeyOrder('user_roles', users, { user_id: userId('n'), role_id: `'${USER_ROLE}'` }),
    insertInKeyOrder('sessions', users / 2, {
      token_hash: digestOf('n', 'session'),
      id: digestOf('n', 'id'),
      user_id: userId(repeating('n', users)),
      method: `'password'`,
      amr: `'pwd'`,
      remembered: '1',
      ip_address: `'192.0.2.1'`,
      created_at: String(now - DAY),
      last_used_at: `${now - DAY} + n`,
      expires_at: `${now + 7 * DAY} + n`,
    }),
    insertInKeyOrder('passkeys', users / 4, {
      id: digestOf('n', 'passkey'),
      user_id: userId(repeating('n', users)),
      credential_id: digestOf('n', 'credential'),
      public_key: `'none'`,
      counter: '0',
      transports: `'[]'`,
      name: `'Grown'`,
      device_type: `'singleDevice'`,
      backed_up: '0',
      aaguid: `'00000000-0000-0000-0000-000000000000'`,
      created_at: String(now - DAY),
    }),
    insertInKeyOrder('ssh_keys', users / 4, {
      id: digestOf('n', 'key'),
      user_id: userId(repeating('n', users)),
      name: `'Grown'`,
      public_key: `'none'`,
      fingerprint: digestOf('n', 'fingerprint'),
      created_at: String(now - DAY),
    }),
    insertInKeyOrder('oauth_clients', clients, {
      client_id: clientId('n'),
      name: `'Grown ' || cast(n as text)`,
      client_type: `'public'`,
      redirect_uris: `'["https://grown.example/cb"]'`,
      scopes: `'["openid"]'`,
      grant_types: `'["authorization_code"]'`,
      created_at: spreadOver('n', clients, now, 730 * DAY),
    }),
    insertInKeyOrder('oauth_grants', users, {
      user_id: userId('n'),
      client_id: clientId(repeating('n', clients)),
      scopes: `'["openid"]'`,
      created_at: String(now - DAY),
      updated_at: String(now - DAY),
    }),
  ]
}

/** 80 % are access tokens, half of them issued for a user; 20 % are refresh tokens, each with an authorization of its own. */
function tokensOf({ users, tokens, clients, now }: { users: number; tokens: number; clients: number; now: number }) {
  const authorizations = Math.floor(tokens / 5)
  if (authorizations === 0) return []
  const user = repeating('n', users)
  const ofUser = `case when n % 2 = 0 then ${digestOf(repeating('n', authorizations), 'code')} end`
  return [
    insertInKeyOrder('oauth_authorization_codes', authorizations, {
      code_hash: digestOf('n', 'code'),
      user_id: userId(user),
      client_id: clientId(repeating(user, clients)),
      redirect_uri: `'https://grown.example/cb'`,
      code_challenge: `'none'`,
      scope: `'openid'`,
      auth_time: String(now - HOUR),
      acr: `'1'`,
      amr: `'pwd'`,
      consumed_at: String(now - HOUR),
      created_at: String(now - HOUR),
      expires_at: `${now + 30 * DAY} + n`,
    }),
    insertInKeyOrder('oauth_refresh_tokens', authorizations, {
      token_hash: digestOf('n', 'refresh'),
      code_hash: digestOf('n', 'code'),
      scope: `'openid'`,
      issued_at: String(now - HOUR),
      expires_at: `${now + 30 * DAY} + n`,
    }),
    accessTokens(tokens - authorizations, 'access', ofUser, `${now + 2 * HOUR} + n`),
  ]
}

const accessTokens = (count: number, kind: string, codeHash: string, expiresAt: string): string =>
  insertInKeyOrder('oauth_access_tokens', count, {
    token_hash: digestOf('n', kind),
    code_hash: codeHash,
    client_id: clientId('1'),
    scope: `'openid'`,
    issued_at: '0',
    expires_at: expiresAt,
  })

/** One in fifty is revoked. Those of the last eight hours are still valid. */
function certificatesOf({ users, certificates, now, heavyUserId }: Growth): string[] {
  const created = spreadOver('n', certificates, now, 730 * DAY)
  const owner = userId(repeating('n', users))
  return [
    insertInKeyOrder('ssh_certificates', certificates, {
      id: `'grown-' || cast(10000000000 + n as text)`,
      serial: `(select value from counters where name = 'ssh_serial') + n`,
      user_id: heavyUserId === undefined ? owner : `case when n % 10 = 0 then '${heavyUserId}' else ${owner} end`,
      saved_key_id: `'none'`,
      key_id: `'grown:' || cast(n as text)`,
      principals: `'["grown"]'`,
      fingerprint: `'none'`,
      valid_after: created,
      valid_before: `${created} + ${8 * HOUR}`,
      latest_expiry: `${created} + ${8 * HOUR}`,
      revoked_at: `case when n % 50 = 0 then ${created} end`,
      created_at: created,
    }),
  ]
}

/** As many notifications and audit entries as certificates. */
function notificationsAndEvents({ users, certificates, now }: Growth): string[] {
  const owner = userId(repeating('n', users))
  return [
    insertInKeyOrder('notifications', certificates, {
      id: notificationId(2),
      user_id: owner,
      type: `'ssh.cert_issued'`,
      data: `'{"certificateId":"none","serial":"1","keyId":"none"}'`,
      created_at: spreadOver('n', certificates, now, 170 * DAY),
      read_at: `case when n % 10 > 0 then ${now} end`,
    }),
    insertInKeyOrder('audit_events', certificates, {
      id: `'grown-' || cast(10000000000 + n as text)`,
      at: spreadOver('n', certificates, now, 730 * DAY),
      action: `case n % 4 when 0 then 'session.started' when 1 then 'session.refused' when 2 then 'user.updated'
        else 'ssh_certificate.issued' end`,
      outcome: `case n % 4 when 1 then 'refused' else 'success' end`,
      actor_id: owner,
      actor_email: `'grown' || cast(${repeating('n', users)} as text) || '@example.com'`,
      target_type: `'user'`,
      target_id: owner,
      ip_address: `'192.0.2.1'`,
      request_id: `'grown'`,
      data: `'{"method":"password"}'`,
    }),
  ]
}

function rowsOfHeavyUser({ certificates, now }: Growth, heavyUserId: string, clients: number): string[] {
  const owner = `'${heavyUserId}'`
  return [
    insertInKeyOrder('notifications', Math.max(1, certificates / 10), {
      id: notificationId(3),
      user_id: owner,
      type: `'ssh.cert_issued'`,
      data: `'{"certificateId":"none","serial":"1","keyId":"none"}'`,
      created_at: spreadOver('n', certificates / 10, now, 170 * DAY),
      read_at: `case when n % 1000 > 0 then ${now} end`,
    }),
    insertInKeyOrder('oauth_grants', clients, {
      client_id: clientId('n'),
      user_id: owner,
      scopes: `'["openid"]'`,
      created_at: String(now - DAY),
      updated_at: String(now - DAY),
    }),
  ]
}
