import { sql } from 'kysely'
import { changedRows, type Database, type Trx } from '../../storage/database.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'

/** So that no transaction takes long. What is left is given up by the next call, or at its next attempt. */
const MAX_GIVEN_UP = 1000

/**
 * Ends what waits for a receiver that is gone. Attempts that are under way lose their claim. Returns how many there were; there may
 * be more when it is `MAX_GIVEN_UP`.
 */
export const giveUpWaiting = (
  trx: Trx,
  { kind, receiverId, error, now }: { kind: ReceiverKind; receiverId: string; error: string; now: number },
): Promise<number> =>
  changedRows(
    sql`
      update outbox_deliveries
      set state = 'given_up', last_error = ${error}, next_attempt_at = null, claim = null, finished_at = ${now}
      where number in (
        select number from outbox_deliveries
        where kind = ${kind} and receiver_id = ${receiverId} and state = 'waiting' limit ${MAX_GIVEN_UP})`,
    trx,
  )

/** The same, until none is left. */
export async function giveUpAll(trx: Trx, which: Parameters<typeof giveUpWaiting>[1]): Promise<void> {
  while ((await giveUpWaiting(trx, which)) === MAX_GIVEN_UP);
}

/**
 * Ends what nobody will fetch: applications that were deleted fetch nothing any more. One that is turned off can't either; what it was to
 * be told of a disable is not waited for.
 */
export async function giveUpUnfetchable({ db, now }: { db: Database; now: () => number }): Promise<void> {
  const slice = () =>
    db.transaction((trx) =>
      changedRows(
        sql`
          update outbox_deliveries
          set state = 'given_up', last_error = 'The application is turned off or was deleted.', finished_at = ${now()}
          where number in (
            select number from outbox_deliveries
            left join oauth_clients on oauth_clients.client_id = outbox_deliveries.receiver_id
            where state = 'waiting' and next_attempt_at is null and claim is null and kind <> 'webhook'
              and (oauth_clients.client_id is null or oauth_clients.deleted_at is not null
                or (oauth_clients.disabled_at is not null and action_id is not null))
            limit ${MAX_GIVEN_UP})`,
        trx,
      ),
    )
  while ((await slice()) === MAX_GIVEN_UP);
}

/**
 * Ends all that waits, for a restored backup: it may have been sent since the backup was made, and what happened since is not known.
 * Returns how many there were.
 */
export async function giveUpRestored(db: Database, now: number): Promise<number> {
  let total = 0
  for (;;) {
    const changed = await db.transaction((trx) =>
      changedRows(
        sql`
          update outbox_deliveries
          set state = 'given_up', last_error = 'restored', next_attempt_at = null, claim = null, finished_at = ${now}
          where number in (select number from outbox_deliveries where state = 'waiting' limit ${MAX_GIVEN_UP})`,
        trx,
      ),
    )
    total += changed
    if (changed < MAX_GIVEN_UP) return total
  }
}
