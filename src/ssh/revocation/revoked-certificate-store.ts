import { sql, type ExpressionBuilder, type QueryCreator } from 'kysely'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import {
  type CertificateRules,
  COLUMNS,
  readRules,
  serialText,
  type SshCertificate,
  toCertificate,
} from '../certificates/certificate-store.ts'

/** The certificate as it is afterwards; undefined when it was revoked before or does not exist. */
export async function markRevoked(
  trx: Trx,
  { id, reason, at }: { id: string; reason: string | null; at: number },
): Promise<SshCertificate | undefined> {
  const row = await trx
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(COLUMNS)
    .returning(serialText)
    .executeTakeFirst()
  return row && toCertificate(row)
}

// A statement that marks several certificates first locks their rows in the order of serials, to avoid deadlocks.

/** Marks what is still valid of these users, or of one key of theirs, and returns the owner of each. */
export async function markValidRevoked(
  trx: Trx,
  { userIds, savedKeyId, reason, at }: { userIds: string[]; savedKeyId?: string; reason: string; at: number },
): Promise<string[]> {
  const rows = await withExpired(trx, userIds, at)
    .with('due', (cte) =>
      stillValid(cte, at)
        .select('later.serial')
        .$if(savedKeyId !== undefined, (query) => query.where('later.saved_key_id', '=', savedKeyId ?? ''))
        .orderBy('later.serial')
        .forNoKeyUpdate('later'),
    )
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('serial', 'in', (eb) => eb.selectFrom('due').select('due.serial'))
    .returning('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export interface ValidCertificate {
  id: string
  userId: string
  principals: string[]
  /** What it contains, and how long it is valid in all. */
  rules: CertificateRules
  validBefore: number
}

/** What is still valid of these users, by serial. */
export async function listValidCertificates(db: Reader, userIds: string[], at: number): Promise<ValidCertificate[]> {
  if (userIds.length === 0) return []
  const rows = await stillValid(withExpired(db, userIds, at), at)
    .select(['later.id', 'later.user_id', 'later.principals', 'later.rules', 'later.valid_before', 'later.created_at'])
    .orderBy('later.serial')
    .execute()
  return rows.map(({ id, user_id, principals, rules, valid_before, created_at }) => ({
    id,
    userId: user_id,
    principals: readTextList(principals),
    rules: { ...readRules(rules), maxTtlSeconds: Math.ceil((valid_before - created_at) / 1000) },
    validBefore: valid_before,
  }))
}

const MAX_MARKED = 500

/** Marks those of these certificates that are not revoked yet, and returns how many. The ids are in the order of serials. */
export async function markCertificatesRevoked(
  trx: Trx,
  { ids, reason, at }: { ids: string[]; reason: string; at: number },
): Promise<number> {
  let marked = 0
  for (let from = 0; from < ids.length; from += MAX_MARKED) {
    const rows = await trx
      .with('due', (cte) =>
        cte
          .selectFrom('ssh_certificates')
          .select('serial')
          .where('id', 'in', ids.slice(from, from + MAX_MARKED))
          .where('revoked_at', 'is', null)
          .orderBy('serial')
          .forNoKeyUpdate(),
      )
      .updateTable('ssh_certificates')
      .set({ revoked_at: at, revoke_reason: reason })
      .where('serial', 'in', (eb) => eb.selectFrom('due').select('due.serial'))
      .returning('id')
      .execute()
    marked += rows.length
  }
  return marked
}

type WithExpired = Schema & { expired: { id: string; serial: string | bigint } }

/** For each of these users, the certificate up to which all are expired. */
const withExpired = (db: Reader, userIds: string[], at: number): QueryCreator<WithExpired> =>
  db.with(
    (cte) => cte('expired').materialized(),
    (cte) =>
      cte
        .selectFrom('users')
        .select('id')
        .select((eb) => eb.fn.coalesce(lastExpired(eb, at), sql<bigint>`0`).as('serial'))
        .where('id', 'in', userIds),
  )

const stillValid = (creator: QueryCreator<WithExpired>, at: number) =>
  creator
    .selectFrom('expired')
    .innerJoin('ssh_certificates as later', (join) =>
      join.onRef('later.user_id', '=', 'expired.id').onRef('later.serial', '>', 'expired.serial'),
    )
    .where('later.revoked_at', 'is', null)
    .where('later.valid_before', '>', at)

/** Of the user in the enclosing query: the newest certificate that is expired together with all before it. */
const lastExpired = (eb: ExpressionBuilder<Schema, 'users'>, at: number) =>
  eb
    .selectFrom('ssh_certificates')
    .select('serial')
    .whereRef('user_id', '=', 'users.id')
    .where('latest_expiry', '<=', at)
    .orderBy('serial', 'desc')
    .limit(1)

/** Marks up to `limit` certificates that are still valid, the lowest serials above that one first, and returns the serials. */
export async function markNextValidRevoked(
  trx: Trx,
  { above, reason, at, limit }: { above: bigint; reason: string; at: number; limit: number },
): Promise<bigint[]> {
  const rows = await trx
    .with('due', (cte) =>
      cte
        .selectFrom('ssh_certificates')
        .select('serial')
        .where('serial', '>', above)
        .where('revoked_at', 'is', null)
        .where('valid_before', '>', at)
        .orderBy('serial')
        .limit(limit)
        .forNoKeyUpdate(),
    )
    .updateTable('ssh_certificates')
    .set({ revoked_at: at, revoke_reason: reason })
    .where('serial', 'in', (eb) => eb.selectFrom('due').select('due.serial'))
    .returning(serialText)
    .execute()
  return rows.map(({ serial_text }) => BigInt(serial_text))
}

export interface Review {
  id: string
  reason: string
  /** The id of the last account that was reviewed. */
  reviewedUpTo: string
  revoked: number
}

export async function addReview(
  trx: Trx,
  { id, reason, at }: { id: string; reason: string; at: number },
): Promise<void> {
  await trx.insertInto('ssh_certificate_reviews').values({ id, reason, reviewed_up_to: '', created_at: at }).execute()
}

/** The oldest review that is not done. Other replicas wait until the transaction ends. */
export async function lockNextReview(trx: Trx): Promise<Review | undefined> {
  const row = await trx
    .selectFrom('ssh_certificate_reviews')
    .select(['id', 'reason', 'reviewed_up_to as reviewedUpTo', 'revoked'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row
}

/** The accounts that come after the last one that was reviewed. */
export async function listNextUserIds(trx: Trx, { reviewedUpTo }: Review, limit: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '>', reviewedUpTo)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function markReviewed(trx: Trx, { id, reviewedUpTo, revoked }: Omit<Review, 'reason'>): Promise<void> {
  await trx
    .updateTable('ssh_certificate_reviews')
    .set({ reviewed_up_to: reviewedUpTo, revoked })
    .where('id', '=', id)
    .execute()
}

export async function deleteReview(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('ssh_certificate_reviews').where('id', '=', id).execute()
}
