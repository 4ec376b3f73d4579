import type { Database } from '../../storage/database.ts'

const SLICE = 2000

/**
 * Gives up all that is waiting, for a restored backup: it may have been sent since the backup was made, and what happened since is not
 * known. Returns how many.
 */
export async function giveUpAll(db: Database, now: number): Promise<number> {
  let total = 0
  for (;;) {
    const rows = await db.transaction((trx) =>
      trx
        .updateTable('outbox_deliveries')
        .set({ state: 'given_up', last_error: 'restored', finished_at: now, next_attempt_at: null, claim: null })
        .where('number', 'in', (eb) =>
          eb
            .selectFrom('outbox_deliveries')
            .select('number')
            .where('state', '=', 'waiting')
            .orderBy('expires_at')
            .limit(SLICE),
        )
        .returning('number')
        .execute(),
    )
    total += rows.length
    if (rows.length < SLICE) return total
  }
}
