import { type RawBuilder, sql } from 'kysely'
import { changedRows, type Database, type Reader, type Trx } from '../../storage/database.ts'
import type { DeliveryState, ReceiverKind } from '../../vocabulary/receivers.ts'
import { giveUpAll } from './give-up-waiting.ts'

/** Whom deliveries are for. */
interface Receiver {
  kind: ReceiverKind
  receiverId: string
}

export interface HeldDelivery {
  id: string
  receiverId: string
  type: string
  fact: string
  createdAt: number
}

const waiting = sql<boolean>`state = 'waiting'`
/** Without `replaced_by`, SQLite would take the index of all that was ever sent. */
const held = sql<boolean>`state = 'waiting' and replaced_by is null and next_attempt_at is null`

const isFor = ({ kind, receiverId }: Receiver): RawBuilder<boolean> =>
  sql<boolean>`(kind = ${kind} and receiver_id = ${receiverId})`

/** What a receiver may fetch, in the order in which it happened. */
export async function listHeld(db: Reader, receiver: Receiver, limit: number): Promise<HeldDelivery[]> {
  const rows = await db
    .selectFrom('outbox_deliveries')
    .select(['id', 'receiver_id as receiverId', 'type', 'fact', 'created_at as createdAt'])
    .where(held)
    .where(isFor(receiver))
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows
}

/** Those of these receivers that may fetch something. */
export async function listReceiversWithHeld(db: Reader, kind: ReceiverKind, receiverIds: string[]): Promise<string[]> {
  if (receiverIds.length === 0) return []
  const rows = await db
    .selectFrom('outbox_deliveries')
    .select('receiver_id')
    .distinct()
    .where(held)
    .where('kind', '=', kind)
    .where('receiver_id', 'in', receiverIds)
    .execute()
  return rows.map((row) => row.receiver_id)
}

/**
 * Ends what a receiver says it has, or can't take. Ids that are not of this receiver, or have ended before, change nothing. Returns when
 * those that have ended were written.
 */
export async function settleFetched(
  trx: Trx,
  receiver: Receiver,
  ids: string[],
  { state, error, now }: { state: Exclude<DeliveryState, 'waiting'>; error?: string; now: number },
): Promise<number[]> {
  if (ids.length === 0) return []
  const ended = await trx
    .updateTable('outbox_deliveries')
    .set({ state, finished_at: now, next_attempt_at: null, claim: null, last_error: error ?? null })
    .set({ attempts: sql<number>`attempts + 1` })
    .where(waiting)
    .where(isFor(receiver))
    .where('id', 'in', ids)
    .returning('created_at')
    .execute()
  return ended.map((row) => row.created_at)
}

/** What waits for a receiver is not sent any more until it is released. An attempt that is under way settles nothing. */
export async function holdWaiting(trx: Trx, receiver: Receiver, now: number): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ next_attempt_at: null, claim: null, scheduled_at: now })
    .where(waiting)
    .where(isFor(receiver))
    .execute()
}

/** What waits for a receiver is sent now: its failures so far were those of another address, or are long over. */
export async function releaseWaiting(trx: Trx, receiver: Receiver, now: number): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ next_attempt_at: now, claim: null, scheduled_at: now })
    .where(waiting)
    .where(isFor(receiver))
    .execute()
  await forgetReceiver(trx, receiver)
  trx.signal('deliveries-added', null)
}

/** Nothing that waits for a receiver is sent any more. */
export async function endReceiver(trx: Trx, receiver: Receiver, error: string, now: number): Promise<void> {
  await giveUpAll(trx, { ...receiver, error, now })
  await forgetReceiver(trx, receiver)
}

/** How sending to it has gone. */
async function forgetReceiver(trx: Trx, { kind, receiverId }: Receiver): Promise<void> {
  await trx.deleteFrom('outbox_receivers').where('kind', '=', kind).where('receiver_id', '=', receiverId).execute()
}

const PER_SLICE = 1000

/** Gives up what nobody has fetched for long enough. The rest is given up when an attempt fails. */
export async function giveUpUnfetched({ db, now }: { db: Database; now: () => number }): Promise<void> {
  const slice = () =>
    db.transaction((trx) =>
      changedRows(
        sql`
          update outbox_deliveries set state = 'given_up', last_error = 'It was not fetched in time.', finished_at = ${now()}
          where number in (
            select number from outbox_deliveries
            where state = 'waiting' and replaced_by is null and next_attempt_at is null and expires_at <= ${now()}
            limit ${PER_SLICE})`,
        trx,
      ),
    )
  while ((await slice()) === PER_SLICE);
}
