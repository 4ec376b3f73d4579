import { sql } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import { readStatement, type Values, writeStatement } from '../../storage/statement.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'

interface Receiver {
  kind: ReceiverKind
  receiverId: string
}

interface Attempt {
  now: number
  status: number | undefined
}

/** A receiver that has failed for less has nothing planned for much later, but for what it did not answer. */
const OUTAGE_MS = 60_000
/** So often something is tried early that a receiver has not answered: perhaps it never answers this one. */
const MAX_EARLY_ATTEMPTS = 5

/**
 * Notes that a receiver has answered. If it failed before, what it did not answer is tried at once, instead of when it was to be tried
 * next, and after an outage everything is. What it refused while it took others is not tried more often because of them.
 */
export async function markAnswering(trx: Trx, { kind, receiverId }: Receiver, { now, status }: Attempt): Promise<void> {
  const [before] = await findFailure(trx, { kind, receiverId })
  noteAnswer.next(trx, { kind, receiverId, now, status: status ?? null })
  if (!before || before.since === null) return
  await makeDue(trx, { kind, receiverId }, { now, isAll: before.since <= now - OUTAGE_MS })
}

const findFailure = readStatement((db, value: Values<Receiver>) =>
  db
    .selectFrom('outbox_receivers')
    .select('failing_since as since')
    .where('kind', '=', value('kind'))
    .where('receiver_id', '=', value('receiverId')),
)

interface Answered extends Receiver {
  now: number
  status: number | null
}

const WITHOUT_FAILURE = { failing_since: null, paused_until: null, last_error: null, notified_at: null }

const noteAnswer = writeStatement((db, value: Values<Answered>) =>
  db
    .insertInto('outbox_receivers')
    .values({
      kind: value('kind'),
      receiver_id: value('receiverId'),
      last_status: value('status'),
      last_at: value('now'),
      ...WITHOUT_FAILURE,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'receiver_id'])
        .doUpdateSet({ last_status: value('status'), last_at: value('now'), ...WITHOUT_FAILURE }),
    ),
)

/** What waits for a receiver is tried now, but for what is being tried. */
async function makeDue(
  trx: Trx,
  { kind, receiverId }: Receiver,
  { now, isAll }: { now: number; isAll: boolean },
): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ next_attempt_at: now, scheduled_at: now })
    .where(sql<boolean>`state = 'waiting' and replaced_by is null and claim is null`)
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .where('next_attempt_at', '>', now)
    .$if(!isAll, (query) => query.where('last_status', 'is', null).where('attempts', '<=', MAX_EARLY_ATTEMPTS))
    .execute()
}

/** Whatever has kept a receiver from answering was changed: how it has failed until then says nothing any more. */
export async function forgetFailure(trx: Trx, { kind, receiverId }: Receiver, now: number): Promise<void> {
  await trx
    .updateTable('outbox_receivers')
    .set(WITHOUT_FAILURE)
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .execute()
  await makeDue(trx, { kind, receiverId }, { now, isAll: true })
}

/** Notes that an attempt has failed, and until when the receiver wants to get nothing. */
export async function markFailing(
  trx: Trx,
  { kind, receiverId }: Receiver,
  { now, status, error, pausedUntil }: Attempt & { error: string; pausedUntil: number | undefined },
): Promise<void> {
  const row = { last_status: status ?? null, last_error: error, last_at: now, paused_until: pausedUntil ?? null }
  await trx
    .insertInto('outbox_receivers')
    .values({ kind, receiver_id: receiverId, failing_since: now, notified_at: null, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'receiver_id'])
        .doUpdateSet({ ...row, failing_since: sql<number>`coalesce(outbox_receivers.failing_since, ${now})` }),
    )
    .execute()
}

/** False when another replica has noted it already, or the receiver answers again. */
export async function markNotified(trx: Trx, { kind, receiverId }: Receiver, now: number): Promise<boolean> {
  const rows = await trx
    .updateTable('outbox_receivers')
    .set({ notified_at: now })
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .where('failing_since', 'is not', null)
    .where('notified_at', 'is', null)
    .returning('kind')
    .execute()
  return rows.length > 0
}
