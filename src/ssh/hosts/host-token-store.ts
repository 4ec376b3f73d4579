import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
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
