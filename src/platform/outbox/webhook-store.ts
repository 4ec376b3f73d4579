import { sql } from 'kysely'
import { readTextList } from '../../storage/columns.ts'
import { changedRows, type Database, type Reader, type Trx } from '../../storage/database.ts'
import { readStatement } from '../../storage/statement.ts'

const enabled = readStatement((db) =>
  db.selectFrom('webhooks').select(['id', 'events']).where('enabled', '=', sql.lit(1)).orderBy('id'),
)

/** The webhooks that are on, and what they want to be told. */
export async function listEnabledWebhooks(db: Reader): Promise<{ id: string; events: string[] }[]> {
  const rows = await enabled(db, {})
  return rows.map(({ id, events }) => ({ id, events: readTextList(events) }))
}

/** What its secrets are sealed for. */
export const webhookPurpose = (id: string): string => `webhook:${id}`

interface SealedSecrets {
  id: string
  secret: string
  previous: string | null
}

export async function listSealedSecrets(db: Reader): Promise<SealedSecrets[]> {
  const rows = await db.selectFrom('webhooks').select(['id', 'secret_sealed', 'previous_secret_sealed']).execute()
  return rows.map(({ id, secret_sealed, previous_secret_sealed }) => ({
    id,
    secret: secret_sealed,
    previous: previous_secret_sealed,
  }))
}

export async function replaceSealedSecrets(trx: Trx, { id, secret, previous }: SealedSecrets): Promise<void> {
  await trx
    .updateTable('webhooks')
    .set({ secret_sealed: secret, previous_secret_sealed: previous })
    .where('id', '=', id)
    .execute()
}

/** At most so many deliveries are numbered in one transaction. */
const MAX_NUMBERED = 500

/** An index has them, which SQLite takes only without parameters. */
const isUnnumbered = sql<boolean>`kind = 'webhook' and sequence is null and state = 'waiting'`

/** Webhooks with deliveries that have no sequence number yet. */
async function listUnnumberedWebhooks(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom('outbox_deliveries').select('receiver_id').distinct().where(isUnnumbered).execute()
  return rows.map(({ receiver_id }) => receiver_id)
}

/**
 * Gives deliveries of one webhook their sequence numbers, after the commit in which they were written: so the numbers are consecutive,
 * and nobody who writes a delivery waits for others. What was written while the webhook was being turned off is not counted, and is
 * given up. Returns how many there were; there may be more when it is `MAX_NUMBERED`.
 */
export async function numberDeliveries(
  trx: Trx,
  { webhookId, now }: { webhookId: string; now: number },
): Promise<number> {
  const webhook = await trx
    .selectFrom('webhooks')
    .select(['enabled', 'last_sequence'])
    .where('id', '=', webhookId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const unnumbered = sql`
    select number, row_number() over (order by number) as place from outbox_deliveries
    where ${isUnnumbered} and receiver_id = ${webhookId}
    order by number limit ${MAX_NUMBERED}`
  if (!webhook?.enabled)
    return changedRows(
      sql`
        update outbox_deliveries set state = 'given_up', last_error = 'turned off', next_attempt_at = null,
          finished_at = ${now}
        where number in (select number from (${unnumbered}) as unnumbered)`,
      trx,
    )
  const { last_sequence: last } = webhook
  const numbered = await changedRows(
    sql`
      update outbox_deliveries set sequence = ${last} + unnumbered.place from (${unnumbered}) as unnumbered
      where outbox_deliveries.number = unnumbered.number`,
    trx,
  )
  if (numbered > 0)
    await trx
      .updateTable('webhooks')
      .set({ last_sequence: last + numbered })
      .where('id', '=', webhookId)
      .execute()
  return numbered
}

/** Numbers whatever has no number yet. Called before deliveries are claimed. */
export async function numberAll({ db, now }: { db: Database; now: () => number }): Promise<void> {
  for (const webhookId of await listUnnumberedWebhooks(db.read))
    while ((await db.transaction((trx) => numberDeliveries(trx, { webhookId, now: now() }))) === MAX_NUMBERED);
}
