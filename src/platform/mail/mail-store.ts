import { sql, type ExpressionBuilder, type Selectable } from 'kysely'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { newId } from '../ids.ts'

/** A mail that this replica is sending. `claim` is new for each claim, so that a sending that lost its lease changes nothing. */
export interface ClaimedMail {
  id: string
  claim: string
  recipient: string
  contentSealed: string
  attempts: number
  lastError: string | null
  tokenHash: string | null
  expiresAt: number | null
  createdAt: number
}

type NewMail = Pick<ClaimedMail, 'id' | 'recipient' | 'contentSealed' | 'tokenHash' | 'expiresAt' | 'createdAt'>

/** Due at once. */
export async function addMail(trx: Trx, mail: NewMail): Promise<void> {
  await trx
    .insertInto('outgoing_mail')
    .values({
      id: mail.id,
      recipient: mail.recipient,
      content_sealed: mail.contentSealed,
      next_attempt_at: mail.createdAt,
      scheduled_at: mail.createdAt,
      last_error: null,
      claim: null,
      token_hash: mail.tokenHash,
      expires_at: mail.expiresAt,
      created_at: mail.createdAt,
    })
    .execute()
}

interface ClaimRequest {
  now: number
  leaseMs: number
  limit: number
  /** Those that this replica is sending already. */
  except: string[]
}

/** A claim moves the time of the next attempt: of several replicas, the one whose statement moved it sends the mail. */
export async function claimDueMail(trx: Trx, { now, leaseMs, limit, except }: ClaimRequest): Promise<ClaimedMail[]> {
  const claim = newId()
  const rows = await trx
    .updateTable('outgoing_mail')
    .set({ claim, next_attempt_at: now + leaseMs, scheduled_at: now, attempts: sql<number>`attempts + 1` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('outgoing_mail')
        .select('id')
        .where(isDueAt(now))
        .where('id', 'not in', ['', ...except])
        .orderBy('next_attempt_at')
        .limit(limit),
    )
    .where(isDueAt(now))
    .returningAll()
    .execute()
  return rows.map((row) => toClaimed(row, claim))
}

/** Also when it was scheduled in what is now the future, under a wrong clock. See `storage/columns.ts`. */
const isDueAt = (now: number) => (eb: ExpressionBuilder<Schema, 'outgoing_mail'>) =>
  eb.or([eb('next_attempt_at', '<=', now), eb('scheduled_at', '>', now + MAX_CLOCK_SKEW_MS)])

const toClaimed = (row: Selectable<Schema['outgoing_mail']>, claim: string): ClaimedMail => ({
  id: row.id,
  claim,
  recipient: row.recipient,
  contentSealed: row.content_sealed,
  attempts: row.attempts,
  lastError: row.last_error,
  tokenHash: row.token_hash,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
})

type Claim = Pick<ClaimedMail, 'id' | 'claim'>

/** False when another replica has claimed it since. */
export async function renewLease(trx: Trx, { id, claim }: Claim, now: number, leaseMs: number): Promise<boolean> {
  const rows = await trx
    .updateTable('outgoing_mail')
    .set({ next_attempt_at: now + leaseMs, scheduled_at: now })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** Gives up the claim. The mail is tried again after a pause. */
export async function markForRetry(
  trx: Trx,
  { id, claim }: Claim,
  { now, waitMs, reason }: { now: number; waitMs: number; reason: string },
): Promise<void> {
  await trx
    .updateTable('outgoing_mail')
    .set({ claim: null, next_attempt_at: now + waitMs, scheduled_at: now, last_error: reason })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute()
}

/** For a mail that was sent or never will be. False when another replica has claimed it since. */
export async function deleteMail(trx: Trx, { id, claim }: Claim): Promise<boolean> {
  const rows = await trx
    .deleteFrom('outgoing_mail')
    .where('id', '=', id)
    .where('claim', '=', claim)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** What waits to be sent, encrypted. */
export async function listSealedMail(db: Reader): Promise<{ id: string; contentSealed: string }[]> {
  const rows = await db.selectFrom('outgoing_mail').select(['id', 'content_sealed']).execute()
  return rows.map((row) => ({ id: row.id, contentSealed: row.content_sealed }))
}

export async function replaceSealedMail(trx: Trx, id: string, contentSealed: string): Promise<void> {
  await trx.updateTable('outgoing_mail').set({ content_sealed: contentSealed }).where('id', '=', id).execute()
}
