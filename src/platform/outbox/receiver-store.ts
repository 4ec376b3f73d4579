import { sql } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import { type Values, writeStatement } from '../../storage/statement.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'

interface Receiver {
  kind: ReceiverKind
  receiverId: string
}

interface Attempt {
  now: number
  status: number | undefined
}

/** A receiver that has failed for less has nothing planned for much later. */
const OUTAGE_MS = 60_000

/**
 * Notes that a receiver has answered. After an outage, everything that waits for it is tried at once, instead of when each of them was to
 * be tried next. One thing that it never accepts, while it accepts others, is no outage, and is not tried more often because of them.
 */
export async function markAnswering(trx: Trx, { kind, receiverId }: Receiver, { now, status }: Attempt): Promise<void> {
  const answered = { kind, receiverId, now, status: status ?? null }
  if ((await endOutage(trx, { ...answered, before: now - OUTAGE_MS })).length > 0)
    await makeDue(trx, { kind, receiverId }, now)
  else noteAnswer.next(trx, answered)
}

interface Answered extends Receiver {
  now: number
  status: number | null
}

const WITHOUT_FAILURE = { failing_since: null, paused_until: null, last_error: null, notified_at: null }

const endOutage = writeStatement((db, value: Values<Answered & { before: number }>) =>
  db
    .updateTable('outbox_receivers')
    .set({ ...WITHOUT_FAILURE, last_status: value('status'), last_at: value('now') })
    .where('kind', '=', value('kind'))
    .where('receiver_id', '=', value('receiverId'))
    .where('failing_since', '<=', value('before'))
    .returning('kind'),
)

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
async function makeDue(trx: Trx, { kind, receiverId }: Receiver, now: number): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ next_attempt_at: now, scheduled_at: now })
    .where(sql<boolean>`state = 'waiting' and replaced_by is null and claim is null`)
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .where('next_attempt_at', '>', now)
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
  await makeDue(trx, { kind, receiverId }, now)
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
