import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { serialText } from '../certificates/certificate-store.ts'

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
