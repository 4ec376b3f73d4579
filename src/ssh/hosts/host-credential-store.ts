import { sql } from 'kysely'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import type { AttentionReason } from '../../vocabulary/host-attention.ts'
import { serialText } from '../certificates/certificate-store.ts'
import { readAllowedRoles, rolesOfHost } from './host-store.ts'
import type { AccountKind } from './host.ts'

/** What a token is: live, or how it ended. `deleted` is a token of a deleted host, however it ended before. */
type Standing = 'live' | Schema['ssh_former_host_tokens']['ending']

export interface HostToken {
  hostId: string
  standing: Standing
  /** The roles that the host admits; null for everybody. */
  allowedRoles: string[] | null
  accounts: AccountKind
  /** Whether a live one was used before. */
  isUsed: boolean
  lastSeenAt: number | null
  /** Why administrators should look at the host. */
  attention: AttentionReason[]
}

/** Why administrators should look at a host of the query. */
const attentionOfHost = sql<
  string | null
>`(select string_agg(reason, ' ') from ssh_host_attention where ssh_host_attention.host_id = ssh_hosts.id)`.as(
  'attention',
)

const byHash = readStatement((db, value: Values<{ hash: string }>) =>
  db
    .selectFrom('ssh_host_tokens')
    .innerJoin('ssh_hosts', 'ssh_hosts.id', 'ssh_host_tokens.host_id')
    .select(['ssh_host_tokens.host_id', 'ssh_host_tokens.is_used', 'ssh_hosts.last_seen_at', 'ssh_hosts.is_restricted'])
    .select([rolesOfHost, attentionOfHost, 'ssh_hosts.accounts'])
    .select([sql<Standing>`'live'`.as('standing'), sql<number | null>`cast(null as bigint)`.as('deleted_at')])
    .where('ssh_host_tokens.token_hash', '=', value('hash'))
    .unionAll(
      db
        .selectFrom('ssh_former_host_tokens')
        .leftJoin('ssh_hosts', 'ssh_hosts.id', 'ssh_former_host_tokens.host_id')
        .leftJoin('ssh_deleted_hosts', 'ssh_deleted_hosts.host_id', 'ssh_former_host_tokens.host_id')
        .select('ssh_former_host_tokens.host_id')
        .select([
          sql<number>`1`.as('is_used'),
          'ssh_hosts.last_seen_at',
          sql<number>`coalesce(ssh_hosts.is_restricted, 1)`.as('is_restricted'),
        ])
        .select([rolesOfHost, attentionOfHost])
        .select(sql<AccountKind>`coalesce(ssh_hosts.accounts, 'existing')`.as('accounts'))
        .select(['ssh_former_host_tokens.ending as standing', 'ssh_deleted_hosts.deleted_at'])
        .where('ssh_former_host_tokens.token_hash', '=', value('hash')),
    ),
)

/** A token that is live, or was. */
export async function findHostToken(db: Reader, hash: string): Promise<HostToken | undefined> {
  const [row] = await byHash(db, { hash })
  if (!row) return undefined
  return {
    hostId: row.host_id,
    standing: row.deleted_at === null ? row.standing : 'deleted',
    allowedRoles: readAllowedRoles(row),
    accounts: row.accounts,
    isUsed: row.is_used === 1,
    lastSeenAt: row.last_seen_at,
    attention: (row.attention?.split(' ') ?? []) as AttentionReason[],
  }
}

/** The host of this live token, locked until the transaction ends. Whoever ends tokens of a host locks it first. */
export async function lockHostOfToken(trx: Trx, hash: string): Promise<string | undefined> {
  const found = await findHostToken(trx, hash)
  if (found?.standing !== 'live') return undefined
  await trx.selectFrom('ssh_hosts').select('id').where('id', '=', found.hostId).forUpdate().execute()
  const locked = await findHostToken(trx, hash)
  return locked?.standing === 'live' ? locked.hostId : undefined
}

/**
 * The first use of a token ends all others of its host, and those that could still read since the host was enrolled again. The caller
 * has locked the host.
 */
export async function markTokenUsed(
  trx: Trx,
  { hash, hostId, at }: { hash: string; hostId: string; at: number },
): Promise<void> {
  const first = await trx
    .updateTable('ssh_host_tokens')
    .set({ is_used: 1 })
    .where('token_hash', '=', hash)
    .where('is_used', '=', 0)
    .returning('host_id')
    .execute()
  if (first.length === 0) return
  await endHostTokens(trx, { hostId, ending: 'superseded', at, except: hash })
  await markReadingEnded(trx, hostId, 'superseded')
}

interface Ending {
  hostId: string
  ending: Exclude<Standing, 'live'>
  at: number
  /** The hash of a token that stays. */
  except?: string
}

/** Ends the live tokens of a host, and keeps how. The caller has locked the host. */
export async function endHostTokens(trx: Trx, { hostId, ending, at, except = '' }: Ending): Promise<void> {
  const ended = await trx
    .deleteFrom('ssh_host_tokens')
    .where('host_id', '=', hostId)
    .where('token_hash', '!=', except)
    .returning('token_hash')
    .execute()
  if (ended.length === 0) return
  await trx
    .insertInto('ssh_former_host_tokens')
    .values(ended.map(({ token_hash }) => ({ token_hash, host_id: hostId, ending, ended_at: at })))
    .execute()
}

/** Tokens from before the host was enrolled again read nothing any more. */
export async function markReadingEnded(
  trx: Trx,
  hostId: string,
  ending: Extract<Standing, 'superseded' | 'revoked'>,
): Promise<void> {
  const ended = await trx
    .updateTable('ssh_former_host_tokens')
    .set({ ending })
    .where('host_id', '=', hostId)
    .where(sql<boolean>`ending = 'reading'`)
    .returning('token_hash')
    .execute()
  // Requests that wait with one of them end now.
  if (ended.length > 0) trx.signal('host-changed', { hostId })
}

/** From now on tokens of this host get empty lists. */
export async function addDeletedHost(trx: Trx, hostId: string, at: number): Promise<void> {
  await trx.insertInto('ssh_deleted_hosts').values({ host_id: hostId, deleted_at: at }).execute()
}

const deleted = readStatement((db, value: Values<{ hostId: string }>) =>
  db.selectFrom('ssh_deleted_hosts').select('host_id').where('host_id', '=', value('hostId')),
)

export const isHostDeleted = async (db: Reader, hostId: string): Promise<boolean> =>
  (await deleted(db, { hostId })).length > 0

/** Whether the host was given a token since then that it has not used yet. */
export const hasUnusedToken = async (db: Reader, hostId: string, since: number): Promise<boolean> =>
  (
    await db
      .selectFrom('ssh_host_tokens')
      .select('host_id')
      .where('host_id', '=', hostId)
      .where('is_used', '=', 0)
      .where('created_at', '>', since)
      .limit(1)
      .execute()
  ).length > 0

/** Tokens whose answers may have been lost are kept up to this number, the newest ones. */
const MAX_UNUSED = 5

/** One that is not used yet. */
export async function addHostToken(
  trx: Trx,
  { hash, hostId, at }: { hash: string; hostId: string; at: number },
): Promise<void> {
  await trx
    .insertInto('ssh_host_tokens')
    .values({ token_hash: hash, host_id: hostId, is_used: 0, created_at: at })
    .execute()
  const unused = await trx
    .selectFrom('ssh_host_tokens')
    .select('token_hash')
    .where('host_id', '=', hostId)
    .where('is_used', '=', 0)
    .where('token_hash', '!=', hash)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
  const surplus = unused.slice(MAX_UNUSED - 1).map(({ token_hash }) => token_hash)
  if (surplus.length > 0) await trx.deleteFrom('ssh_host_tokens').where('token_hash', 'in', surplus).execute()
}

/** Fails as a duplicate of `ssh_host_keys.fingerprint` when another host has one of them. */
export async function replaceHostKeys(
  trx: Trx,
  hostId: string,
  keys: { fingerprint: string; publicKey: string }[],
): Promise<void> {
  await trx.deleteFrom('ssh_host_keys').where('host_id', '=', hostId).execute()
  await trx
    .insertInto('ssh_host_keys')
    .values(keys.map(({ fingerprint, publicKey }) => ({ fingerprint, host_id: hostId, public_key: publicKey })))
    .execute()
}

export async function listHostKeys(db: Reader, hostId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ssh_host_keys')
    .select('public_key')
    .where('host_id', '=', hostId)
    .orderBy('fingerprint')
    .execute()
  return rows.map(({ public_key }) => public_key)
}

export interface NewHostCertificate {
  serial: bigint
  hostId: string
  keyId: string
  hostnames: string[]
  fingerprint: string
  /** Epoch seconds. */
  validAfter: number
  validBefore: number
  createdAt: number
}

export async function addHostCertificate(trx: Trx, certificate: NewHostCertificate): Promise<void> {
  await trx
    .insertInto('ssh_host_certificates')
    .values({
      serial: certificate.serial,
      host_id: certificate.hostId,
      key_id: certificate.keyId,
      hostnames: JSON.stringify(certificate.hostnames),
      fingerprint: certificate.fingerprint,
      valid_after: certificate.validAfter * 1000,
      valid_before: certificate.validBefore * 1000,
      revoked_at: null,
      created_at: certificate.createdAt,
    })
    .execute()
}

/** Marks what is still valid of a host, and returns how many. With `hostnames`, only what names others than these. */
export async function markHostCertificatesRevoked(
  trx: Trx,
  { hostId, at, hostnames }: { hostId: string; at: number; hostnames?: string[] },
): Promise<number> {
  const valid = await trx
    .selectFrom('ssh_host_certificates')
    .select('hostnames')
    .select(serialText)
    .where('host_id', '=', hostId)
    .where('revoked_at', 'is', null)
    .where('valid_before', '>', at)
    .orderBy('serial')
    .forNoKeyUpdate()
    .execute()
  const lost = valid.filter(
    (row) => !hostnames || readTextList(row.hostnames).some((name) => !hostnames.includes(name)),
  )
  if (lost.length === 0) return 0
  const serials = lost.map(({ serial_text }) => BigInt(serial_text))
  await trx.updateTable('ssh_host_certificates').set({ revoked_at: at }).where('serial', 'in', serials).execute()
  return lost.length
}

const newest = readStatement((db, value: Values<{ hostId: string }>) =>
  db
    .selectFrom('ssh_host_certificates')
    .select(['hostnames', 'valid_before', 'created_at'])
    .select((eb) =>
      eb
        .selectFrom('ssh_host_tokens')
        .select(({ fn }) => fn.max<number | null>('ssh_host_tokens.created_at').as('at'))
        .whereRef('ssh_host_tokens.host_id', '=', 'ssh_host_certificates.host_id')
        .where('is_used', '=', 0)
        .as('unused_since'),
    )
    .where('host_id', '=', value('hostId'))
    .where('revoked_at', 'is', null)
    .orderBy('serial', 'desc')
    .limit(1),
)

export interface NewestCertificate {
  hostnames: string[]
  validBefore: number
  createdAt: number
  /** When the host was last given a token that it has not used. */
  unusedSince: number | null
}

/** The newest certificate of a host that is not revoked. */
export async function findNewestHostCertificate(db: Reader, hostId: string): Promise<NewestCertificate | undefined> {
  const [row] = await newest(db, { hostId })
  if (!row) return undefined
  const { valid_before: validBefore, created_at: createdAt, unused_since: unusedSince } = row
  return { hostnames: readTextList(row.hostnames), validBefore, createdAt, unusedSince }
}
