import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { serialText } from '../certificates/certificate-store.ts'
import { readAllowedRoles, rolesOfHost } from './host-store.ts'

export interface HostToken {
  hostId: string
  /** The roles that the host admits; null for everybody. */
  allowedRoles: string[] | null
  isUsed: boolean
  lastSeenAt: number | null
}

const byHash = readStatement((db, value: Values<{ hash: string }>) =>
  db
    .selectFrom('ssh_host_tokens')
    .innerJoin('ssh_hosts', 'ssh_hosts.id', 'ssh_host_tokens.host_id')
    .select(['ssh_host_tokens.host_id', 'ssh_host_tokens.is_used', 'ssh_hosts.last_seen_at', 'ssh_hosts.is_restricted'])
    .select(rolesOfHost)
    .where('ssh_host_tokens.token_hash', '=', value('hash')),
)

export async function findHostToken(db: Reader, hash: string): Promise<HostToken | undefined> {
  const [row] = await byHash(db, { hash })
  if (!row) return undefined
  const { host_id: hostId, is_used, last_seen_at: lastSeenAt } = row
  return { hostId, isUsed: is_used === 1, lastSeenAt, allowedRoles: readAllowedRoles(row) }
}

/** The host of this token, locked until the transaction ends. Whoever ends tokens of a host locks it first. */
export async function lockHostOfToken(trx: Trx, hash: string): Promise<string | undefined> {
  const found = await findHostToken(trx, hash)
  if (!found) return undefined
  await trx.selectFrom('ssh_hosts').select('id').where('id', '=', found.hostId).forUpdate().execute()
  return (await findHostToken(trx, hash))?.hostId
}

/** The first use of a token ends all others of its host. The caller has locked the host. */
export async function markTokenUsed(trx: Trx, hash: string, hostId: string): Promise<void> {
  const first = await trx
    .updateTable('ssh_host_tokens')
    .set({ is_used: 1 })
    .where('token_hash', '=', hash)
    .where('is_used', '=', 0)
    .returning('host_id')
    .execute()
  if (first.length === 0) return
  await trx.deleteFrom('ssh_host_tokens').where('host_id', '=', hostId).where('token_hash', '!=', hash).execute()
}

/** Tokens of renewals whose answers may have been lost are kept up to this number, the newest ones. */
const MAX_UNUSED = 5

export async function addHostToken(
  trx: Trx,
  { hash, hostId, isUsed, at }: { hash: string; hostId: string; isUsed: boolean; at: number },
): Promise<void> {
  await trx
    .insertInto('ssh_host_tokens')
    .values({ token_hash: hash, host_id: hostId, is_used: isUsed ? 1 : 0, created_at: at })
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

export async function deleteHostTokens(trx: Trx, hostId: string): Promise<void> {
  await trx.deleteFrom('ssh_host_tokens').where('host_id', '=', hostId).execute()
  trx.signal('host-changed', { hostId })
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
    .where('host_id', '=', value('hostId'))
    .where('revoked_at', 'is', null)
    .orderBy('serial', 'desc')
    .limit(1),
)

/** The newest certificate of a host that is not revoked. */
export async function findNewestHostCertificate(
  db: Reader,
  hostId: string,
): Promise<{ hostnames: string[]; validBefore: number; createdAt: number } | undefined> {
  const [row] = await newest(db, { hostId })
  return row && { hostnames: readTextList(row.hostnames), validBefore: row.valid_before, createdAt: row.created_at }
}
