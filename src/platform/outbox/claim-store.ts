import { type Selectable, sql } from 'kysely'
import { due } from '../../storage/columns.ts'
import type { Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, writeStatement } from '../../storage/statement.ts'
import type { DeliveryState, ReceiverKind } from '../../vocabulary/receivers.ts'
import { newId } from '../ids.ts'
import { isSendable, MAX_AHEAD_MS } from './due-store.ts'

/** A delivery that this replica is sending. `claim` is new for each claim: an attempt that has lost its claim changes nothing. */
export interface ClaimedDelivery {
  number: number
  id: string
  claim: string
  kind: ReceiverKind
  receiverId: string
  personId: string
  type: string
  fact: string
  sequence: number | null
  /** This attempt counts. */
  attempts: number
  createdAt: number
  expiresAt: number
}

const CLAIMED_COLUMNS = [
  'number',
  'id',
  'kind',
  'receiver_id',
  'person_id',
  'type',
  'fact',
  'sequence',
  'attempts',
  'created_at',
  'expires_at',
] as const

/** A claim moves the time of the next attempt: of several replicas, the one whose statement moved it sends the delivery. */
export async function claimDeliveries(
  trx: Trx,
  numbers: number[],
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  if (numbers.length === 0) return []
  const claim = newId()
  const rows = await trx
    .updateTable('outbox_deliveries')
    .set({ claim, next_attempt_at: now + leaseMs, scheduled_at: now, attempts: sql<number>`attempts + 1` })
    .where('number', 'in', numbers)
    .where(isSendable)
    .where(due('next_attempt_at', now, MAX_AHEAD_MS))
    .returning(CLAIMED_COLUMNS)
    .execute()
  return rows.map((row) => toClaimed(row, claim))
}

type PersonsNext = Pick<ClaimedDelivery, 'kind' | 'receiverId' | 'personId' | 'number'>

const claimingNext = writeStatement(
  (db, value: Values<PersonsNext & { claim: string; now: number; leaseEnd: number; maxAhead: number }>) =>
    db
      .updateTable('outbox_deliveries')
      .set({
        claim: value('claim'),
        next_attempt_at: value('leaseEnd'),
        scheduled_at: value('now'),
        attempts: sql<number>`attempts + 1`,
      })
      .where('number', '=', (eb) =>
        eb
          .selectFrom('outbox_deliveries as next')
          .select((next) => next.fn.min<number>('next.number').as('number'))
          .where(sql<boolean>`next.state = 'waiting' and next.replaced_by is null`)
          .where('next.kind', '=', value('kind'))
          .where('next.receiver_id', '=', value('receiverId'))
          .where('next.person_id', '=', value('personId'))
          .where('next.number', '>', value('number')),
      )
      .where(isSendable)
      .where((eb) => eb.or([eb('next_attempt_at', '<=', value('now')), eb('next_attempt_at', '>', value('maxAhead'))]))
      .returning(CLAIMED_COLUMNS),
)

/** The same for what was written next about the same person, if it is due. */
export async function claimNext(
  trx: Trx,
  { kind, receiverId, personId, number }: ClaimedDelivery,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<ClaimedDelivery | undefined> {
  const claim = newId()
  const times = { now, leaseEnd: now + leaseMs, maxAhead: now + MAX_AHEAD_MS }
  const [row] = await claimingNext(trx, { kind, receiverId, personId, number, claim, ...times })
  return row && toClaimed(row, claim)
}

const toClaimed = (
  row: Pick<Selectable<Schema['outbox_deliveries']>, (typeof CLAIMED_COLUMNS)[number]>,
  claim: string,
): ClaimedDelivery => ({
  number: row.number,
  id: row.id,
  claim,
  kind: row.kind,
  receiverId: row.receiver_id,
  personId: row.person_id,
  type: row.type,
  fact: row.fact,
  sequence: row.sequence,
  attempts: row.attempts,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

interface Attempted {
  now: number
  status: number | undefined
  error: string | undefined
}

interface End {
  number: number
  state: Exclude<DeliveryState, 'waiting'>
  now: number
  status: number | null
  error: string | null
}

const ending = (value: Values<End>) => ({
  state: value('state'),
  finished_at: value('now'),
  next_attempt_at: null,
  claim: null,
  last_status: value('status'),
  last_error: value('error'),
})

const endOne = writeStatement((db, value: Values<End & { claim: string }>) =>
  db
    .updateTable('outbox_deliveries')
    .set(ending(value as Values<End>))
    .where('number', '=', value('number'))
    .where('claim', '=', value('claim'))
    .returning('number'),
)

const endReplaced = writeStatement((db, value: Values<End>) =>
  db
    .updateTable('outbox_deliveries')
    .set(ending(value))
    .where(sql<boolean>`state = 'waiting'`)
    .where('replaced_by', '=', value('number')),
)

/** Ends a delivery, and those that it replaced. False when another replica has claimed it since. */
export async function endDelivery(
  trx: Trx,
  { number, claim }: ClaimedDelivery,
  { state, now, status, error }: Attempted & Pick<End, 'state'>,
): Promise<boolean> {
  const end = { number, state, now, status: status ?? null, error: error ?? null }
  if ((await endOne(trx, { ...end, claim })).length === 0) return false
  endReplaced.next(trx, end)
  return true
}

/** Gives up the claim; the delivery is tried again after a pause. False when another replica has claimed it since. */
export async function markForRetry(
  trx: Trx,
  { number, claim }: ClaimedDelivery,
  { waitMs, now, status, error }: Attempted & { waitMs: number },
): Promise<boolean> {
  const kept = await trx
    .updateTable('outbox_deliveries')
    .set({
      claim: null,
      next_attempt_at: now + waitMs,
      scheduled_at: now,
      last_status: status ?? null,
      last_error: error ?? null,
    })
    .where('number', '=', number)
    .where('claim', '=', claim)
    .returning('number')
    .execute()
  return kept.length > 0
}
