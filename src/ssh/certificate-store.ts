import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { MOST_LOOKED_AT } from '../http/cursor.ts'
import { rowInserter } from '../storage/row-inserter.ts'
import type { Db, Schema } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'
import { statementForMany } from '../storage/statement-for-many.ts'
import type { SshCertificate } from './certificate.ts'

/** The largest serial that the column holds: 64 bits with a sign. */
export const LAST_SERIAL = 2n ** 63n - 1n

type Row = Omit<Selectable<Schema['ssh_certificates']>, 'serial' | 'latest_expiry'> & { serial_text: string }

const COLUMNS = [
  'id',
  'user_id',
  'saved_key_id',
  'key_id',
  'principals',
  'fingerprint',
  'valid_after',
  'valid_before',
  'revoked_at',
  'revoke_reason',
  'created_at',
] as const

/** A serial has more bits than a JavaScript number: it is read as text. */
const serialText = sql<string>`cast(serial as text)`.as('serial_text')

const toCertificate = (row: Row): SshCertificate => ({
  id: row.id,
  serial: row.serial_text,
  userId: row.user_id,
  keyId: row.key_id,
  principals: JSON.parse(row.principals) as string[],
  fingerprint: row.fingerprint,
  validAfter: row.valid_after / 1000,
  validBefore: row.valid_before / 1000,
  revokedAt: row.revoked_at,
  revokeReason: row.revoke_reason,
  createdAt: row.created_at,
})

const raiseSerial = statement((db, value: Values<{ counter: string; by: bigint }>) =>
  db
    .updateTable('counters')
    .set({ value: sql`value + ${value('by')}` })
    .where('name', '=', value('counter'))
    .returning(sql<string>`cast(value as text)`.as('last')),
)

/**
 * The first of so many serials that nobody else gets: each is one more than the one before, on all copies together.
 * Those of a transaction that fails are given out again. The count is added as a bigint, since SQLite takes a JavaScript
 * number for a fraction, and the sum of the two would lose its last digits.
 */
export async function takeSerials(db: Db, count: number): Promise<bigint> {
  const [row] = await raiseSerial(db, { counter: 'ssh_serial', by: BigInt(count) })
  if (!row) throw new Error('The counter ssh_serial is gone.')
  return BigInt(row.last) - BigInt(count - 1)
}

export interface NewCertificate {
  id: string
  serial: bigint
  userId: string
  savedKeyId: string
  keyId: string
  principals: string[]
  fingerprint: string
  /** Epoch seconds, as in the certificate. */
  validAfter: number
  validBefore: number
  createdAt: number
}

const latestExpiries = statementForMany((db, userIds) =>
  db
    .selectFrom('users')
    .select('id')
    .select((eb) =>
      eb
        .selectFrom('ssh_certificates')
        .select('latest_expiry')
        .whereRef('user_id', '=', 'users.id')
        .orderBy('serial', 'desc')
        .limit(1)
        .as('until'),
    )
    .where('id', 'in', userIds),
)

const insertCertificates = rowInserter('ssh_certificates', ['serial', 'latest_expiry', ...COLUMNS])

/** Adds to the log, in the order of serials. The caller holds the users' rows. */
export async function addCertificates(db: Db, certificates: NewCertificate[]): Promise<void> {
  const owners = [...new Set(certificates.map(({ userId }) => userId))]
  const latest = new Map((await latestExpiries(db, owners, {})).map(({ id, until }) => [id, until ?? 0]))
  const rows = certificates.map((each) => {
    const validBefore = each.validBefore * 1000
    const latestExpiry = Math.max(latest.get(each.userId) ?? 0, validBefore)
    latest.set(each.userId, latestExpiry)
    return {
      id: each.id,
      serial: each.serial,
      user_id: each.userId,
      saved_key_id: each.savedKeyId,
      key_id: each.keyId,
      principals: JSON.stringify(each.principals),
      fingerprint: each.fingerprint,
      valid_after: each.validAfter * 1000,
      valid_before: validBefore,
      latest_expiry: latestExpiry,
      revoked_at: null,
      revoke_reason: null,
      created_at: each.createdAt,
    }
  })
  await insertCertificates(db, rows)
}

export async function findCertificate(db: Db, id: string): Promise<SshCertificate | undefined> {
  const row = await db
    .selectFrom('ssh_certificates')
    .select(COLUMNS)
    .select(serialText)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toCertificate(row)
}

export type CertificateState = 'valid' | 'expired' | 'revoked'

export interface CertificateFilter {
  userId?: string | undefined
  serial?: bigint | undefined
  state?: CertificateState | undefined
  /** Only serials below this one. */
  before?: bigint | undefined
}

/** Newest first. Sifting by state may stop before there are as many as asked for: then it says at which serial. */
export async function listCertificates(
  db: Db,
  { userId, serial, state, before }: CertificateFilter,
  now: number,
  limit: number,
): Promise<{ certificates: SshCertificate[]; stoppedAt: string | undefined }> {
  if (serial !== undefined && serial > LAST_SERIAL) return { certificates: [], stoppedAt: undefined }
  let walked = db.selectFrom('ssh_certificates')
  if (userId !== undefined) walked = walked.where('user_id', '=', userId)
  if (serial !== undefined) walked = walked.where('serial', '=', serial)
  if (before !== undefined) walked = walked.where('serial', '<', before)
  // All that are revoked have an index of their own, those of one user have not.
  const isSifted = state !== undefined && (state !== 'revoked' || userId !== undefined)
  const stop = isSifted
    ? await walked
        .select(serialText)
        .orderBy('serial', 'desc')
        .limit(1)
        .offset(MOST_LOOKED_AT - 1)
        .executeTakeFirst()
    : undefined
  let query = walked.select(COLUMNS).select(serialText)
  if (stop !== undefined) query = query.where('serial', '>=', BigInt(stop.serial_text))
  if (state !== undefined) query = query.where('revoked_at', state === 'revoked' ? 'is not' : 'is', null)
  if (state === 'valid') query = query.where('valid_before', '>', now)
  if (state === 'expired') query = query.where('valid_before', '<=', now)
  const rows = await query.orderBy('serial', 'desc').limit(limit).execute()
  return { certificates: rows.map(toCertificate), stoppedAt: stop?.serial_text }
}

/** The certificate as it is afterwards; nothing when it was revoked before, or never was. */
export async function markRevoked(
  db: Db,
  { id, reason, at }: { id: string; reason: string | null; at: number },
): Promise<SshCertificate | undefined> {
  const row = await db
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(COLUMNS)
    .returning(serialText)
    .executeTakeFirst()
  return row && toCertificate(row)
}

/** Marks what is still valid of these users, or of one key of theirs, and names the owner of each. */
export async function markValidRevoked(
  db: Db,
  { userIds, savedKeyId, reason, at }: { userIds: string[]; savedKeyId?: string; reason: string; at: number },
): Promise<string[]> {
  const rows = await db
    .with(
      (cte) => cte('expired').materialized(),
      (cte) =>
        cte
          .selectFrom('users')
          .select('id')
          .select((eb) => eb.fn.coalesce(lastExpired(eb, at), sql<bigint>`0`).as('serial'))
          .where('id', 'in', userIds),
    )
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('serial', 'in', (eb) =>
      eb
        .selectFrom('expired')
        .innerJoin('ssh_certificates as later', (join) =>
          join.onRef('later.user_id', '=', 'expired.id').onRef('later.serial', '>', 'expired.serial'),
        )
        .select('later.serial')
        .where('later.revoked_at', 'is', null)
        .where('later.valid_before', '>', at)
        .$if(savedKeyId !== undefined, (query) => query.where('later.saved_key_id', '=', savedKeyId ?? '')),
    )
    .returning('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Of the user in the enclosing query: the newest certificate that is expired together with all before it. */
const lastExpired = (eb: ExpressionBuilder<Schema, 'users'>, at: number) =>
  eb
    .selectFrom('ssh_certificates')
    .select('serial')
    .whereRef('user_id', '=', 'users.id')
    .where('latest_expiry', '<=', at)
    .orderBy('serial', 'desc')
    .limit(1)

/** Marks so many of all that are still valid, the lowest serials above that one first, and names the serials. */
export async function markNextValidRevoked(
  db: Db,
  { above, reason, at, limit }: { above: bigint; reason: string; at: number; limit: number },
): Promise<bigint[]> {
  const rows = await db
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('ssh_certificates')
        .select('id')
        .where('serial', '>', above)
        .where('revoked_at', 'is', null)
        .where('valid_before', '>', at)
        .orderBy('serial')
        .limit(limit),
    )
    .returning(serialText)
    .execute()
  return rows.map(({ serial_text }) => BigInt(serial_text))
}
