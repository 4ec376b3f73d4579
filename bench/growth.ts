import { USER_ROLE } from '../src/access/built-in-roles.ts'

/** How much is to be in the database. */
export interface Sizes {
  users: number
  tokens: number
  certificates: number
}

export interface Growth extends Sizes {
  now: number
  /** Somebody who is there already and gets a tenth of everything, so that their own lists are deep as well. */
  heavyUserId?: string | undefined
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const CLIENTS = 1000

/**
 * The statements that fill a database, in plain SQL that both engines read alike. Every value is made of its row's number:
 * nothing is random, so what refers to something else finds it by the same arithmetic. Digests look like ours and are
 * nobody's.
 */
export function growthStatements(growth: Growth): string[] {
  const { users, tokens, certificates } = growth
  const clients = Math.min(CLIENTS, users)
  return [
    ...people(growth, clients),
    ...tokensOf({ users, tokens, clients, now: growth.now }),
    ...certificatesOf(growth),
    `update counters set value = value + ${certificates} where name = 'ssh_serial'`,
    ...history(growth),
    ...(growth.heavyUserId === undefined ? [] : belongings(growth, growth.heavyUserId, clients)),
  ]
}

/** What expired, and nobody has swept away yet. */
export const expiredStatements = (tokens: number, notifications: number, now: number): string[] => [
  accessTokens(tokens, 'expired', 'null', `${now - 30 * DAY} + n`),
  insertInTime('notifications', notifications, {
    id: notificationId(1),
    user_id: '(select id from users order by id limit 1)',
    type: `'security.password_changed'`,
    data: `'{}'`,
    created_at: `${now - 200 * DAY} + n`,
  }),
]

const counting = (most: number): string =>
  `with recursive numbers (n) as (select cast(1 as bigint) where ${Math.floor(most)} > 0
    union all select n + 1 from numbers where n < ${Math.floor(most)})`

/** A whole table's worth of rows. In the order of their key, they are added to its index many times as fast. */
const insert = (table: string, most: number, values: Record<string, string>): string =>
  `${insertInTime(table, most, values)} order by 1`

/** Rows that are read in the order of their making lie in that order, as they do when time has made them. */
const insertInTime = (table: string, most: number, values: Record<string, string>): string =>
  `insert into ${table} (${Object.keys(values).join(', ')}) ${counting(most)}
    select ${Object.values(values).join(', ')} from numbers`

/** Multiplying by an odd number permutes the numbers below 2^32: all are different, and neighbours lie far apart. */
const scattered = (n: string, factor: number): string => `cast(10000000000 + ((${n}) * ${factor}) % 4294967296 as text)`

/** 43 characters, as a SHA-256 in base64url has. */
const digestOf = (n: string, kind: string): string =>
  `substr(${scattered(n, 2_654_435_761)} || ${scattered(n, 2_246_822_519)} || ${scattered(n, 3_266_489_917)} || '-${kind}-----------', 1, 43)`

const userId = (n: string): string => `'usr_' || ${scattered(n, 2_654_435_761)} || ${scattered(n, 2_246_822_519)}`
const clientId = (n: string): string => `'grown-client-' || cast(${n} as text)`
/** As those that we give out, and before all of them. */
const notificationId = (kind: number): string =>
  `'00000000-0000-7000-800${kind}-' || substr(cast(1000000000000 + n as text), 2)`
/** The same user every time that the number comes round. */
const oneOf = (n: string, many: number): string => `((${n}) % ${many} + 1)`

/** Evenly from so long ago to now. */
const spread = (n: string, most: number, now: number, milliseconds: number): string => {
  const step = Math.max(1, Math.floor(milliseconds / Math.max(1, most)))
  return `${now - step * Math.floor(most)} + (${n}) * ${step}`
}

function people({ users, now }: Growth, clients: number): string[] {
  const created = spread('n', users, now, 730 * DAY)
  return [
    insertInTime('users', users, {
      id: userId('n'),
      email: `'grown' || cast(n as text) || '@example.com'`,
      display_name: `'Ada Grown ' || cast(n as text)`,
      preferred_username: `'grown' || cast(n as text)`,
      disabled_at: `case when n % 100 = 0 then ${now - HOUR} end`,
      created_at: created,
    }),
    insert('user_roles', users, { user_id: userId('n'), role_id: `'${USER_ROLE}'` }),
    insert('sessions', users / 2, {
      token_hash: digestOf('n', 'session'),
      id: digestOf('n', 'id'),
      user_id: userId(oneOf('n', users)),
      method: `'password'`,
      amr: `'pwd'`,
      remembered: '1',
      ip_address: `'192.0.2.1'`,
      created_at: String(now - DAY),
      last_used_at: `${now - DAY} + n`,
      expires_at: `${now + 7 * DAY} + n`,
    }),
    insert('passkeys', users / 4, {
      id: digestOf('n', 'passkey'),
      user_id: userId(oneOf('n', users)),
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
    insert('ssh_keys', users / 4, {
      id: digestOf('n', 'key'),
      user_id: userId(oneOf('n', users)),
      name: `'Grown'`,
      public_key: `'none'`,
      fingerprint: digestOf('n', 'fingerprint'),
      created_at: String(now - DAY),
    }),
    insert('oauth_clients', clients, {
      client_id: clientId('n'),
      name: `'Grown ' || cast(n as text)`,
      client_type: `'public'`,
      redirect_uris: `'["https://grown.example/cb"]'`,
      scopes: `'["openid"]'`,
      grant_types: `'["authorization_code"]'`,
      created_at: spread('n', clients, now, 730 * DAY),
    }),
    insert('oauth_grants', users, {
      user_id: userId('n'),
      client_id: clientId(oneOf('n', clients)),
      scopes: `'["openid"]'`,
      created_at: String(now - DAY),
      updated_at: String(now - DAY),
    }),
  ]
}

/** Four fifths are access tokens, half of them of a user; one fifth are refresh tokens, each with an authorization of its own. */
function tokensOf({ users, tokens, clients, now }: { users: number; tokens: number; clients: number; now: number }) {
  const authorizations = Math.floor(tokens / 5)
  if (authorizations === 0) return []
  const user = oneOf('n', users)
  const ofUser = `case when n % 2 = 0 then ${digestOf(oneOf('n', authorizations), 'code')} end`
  return [
    insert('oauth_authorization_codes', authorizations, {
      code_hash: digestOf('n', 'code'),
      user_id: userId(user),
      client_id: clientId(oneOf(user, clients)),
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
    insert('oauth_refresh_tokens', authorizations, {
      token_hash: digestOf('n', 'refresh'),
      code_hash: digestOf('n', 'code'),
      scope: `'openid'`,
      issued_at: String(now - HOUR),
      expires_at: `${now + 30 * DAY} + n`,
    }),
    accessTokens(tokens - authorizations, 'access', ofUser, `${now + 2 * HOUR} + n`),
  ]
}

const accessTokens = (most: number, kind: string, codeHash: string, expiresAt: string): string =>
  insert('oauth_access_tokens', most, {
    token_hash: digestOf('n', kind),
    code_hash: codeHash,
    client_id: clientId('1'),
    scope: `'openid'`,
    issued_at: '0',
    expires_at: expiresAt,
  })

/** One in fifty is revoked; those of the last hours are still valid. */
function certificatesOf({ users, certificates, now, heavyUserId }: Growth): string[] {
  const created = spread('n', certificates, now, 730 * DAY)
  const owner = userId(oneOf('n', users))
  return [
    insert('ssh_certificates', certificates, {
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
function history({ users, certificates, now }: Growth): string[] {
  const owner = userId(oneOf('n', users))
  return [
    insert('notifications', certificates, {
      id: notificationId(2),
      user_id: owner,
      type: `'ssh.cert_issued'`,
      data: `'{"certificateId":"none","serial":"1","keyId":"none"}'`,
      created_at: spread('n', certificates, now, 170 * DAY),
      read_at: `case when n % 10 > 0 then ${now} end`,
    }),
    insert('audit_events', certificates, {
      id: `'grown-' || cast(10000000000 + n as text)`,
      at: spread('n', certificates, now, 730 * DAY),
      action: `case n % 4 when 0 then 'session.started' when 1 then 'session.refused' when 2 then 'user.updated'
        else 'ssh_certificate.issued' end`,
      outcome: `case n % 4 when 1 then 'refused' else 'success' end`,
      actor_id: owner,
      actor_email: `'grown' || cast(${oneOf('n', users)} as text) || '@example.com'`,
      target_type: `'user'`,
      target_id: owner,
      ip_address: `'192.0.2.1'`,
      request_id: `'grown'`,
      data: `'{"method":"password"}'`,
    }),
  ]
}

function belongings({ certificates, now }: Growth, heavyUserId: string, clients: number): string[] {
  const owner = `'${heavyUserId}'`
  return [
    insert('notifications', Math.max(1, certificates / 10), {
      id: notificationId(3),
      user_id: owner,
      type: `'ssh.cert_issued'`,
      data: `'{"certificateId":"none","serial":"1","keyId":"none"}'`,
      created_at: spread('n', certificates / 10, now, 170 * DAY),
      read_at: `case when n % 1000 > 0 then ${now} end`,
    }),
    insert('oauth_grants', clients, {
      client_id: clientId('n'),
      user_id: owner,
      scopes: `'["openid"]'`,
      created_at: String(now - DAY),
      updated_at: String(now - DAY),
    }),
  ]
}
