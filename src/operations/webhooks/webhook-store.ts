import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Position, toPage } from '../../platform/http/cursor.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Webhook, WebhookDelivery } from './webhook.ts'

type Row = Selectable<Schema['webhooks']>

/** With how the last attempt went. */
const shown = (db: Reader) =>
  db
    .selectFrom('webhooks')
    .leftJoin('outbox_receivers', (join) =>
      join.onRef('outbox_receivers.receiver_id', '=', 'webhooks.id').on('outbox_receivers.kind', '=', 'webhook'),
    )
    .select(['id', 'url', 'events', 'description', 'enabled', 'created_at', 'last_status', 'last_at'])

const toWebhook = (
  row: Pick<Row, 'id' | 'url' | 'events' | 'description' | 'enabled' | 'created_at'> & {
    last_status: number | null
    last_at: number | null
  },
): Webhook => ({
  id: row.id,
  url: row.url,
  events: readTextList(row.events),
  description: row.description,
  enabled: row.enabled === 1,
  createdAt: row.created_at,
  lastStatus: row.last_status,
  lastAt: row.last_at,
})

/** Oldest first. */
export async function listWebhooks(db: Reader, limit: number, after: Position | undefined) {
  const rows = await shown(db)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) > (${after?.[0]}, ${after?.[1]})`))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.created_at, row.id], toWebhook)
}

export async function findWebhook(db: Reader, id: string): Promise<Webhook | undefined> {
  const row = await shown(db).where('id', '=', id).executeTakeFirst()
  return row && toWebhook(row)
}

export async function countWebhooks(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const RECEIVING_COLUMNS = [
  'id',
  'url',
  'events',
  'description',
  'enabled',
  'secret_sealed',
  'previous_secret_sealed',
  'previous_secret_until',
  'created_at',
] as const

/** What sending needs. */
export type StoredWebhook = Pick<Row, (typeof RECEIVING_COLUMNS)[number]>

export const findStoredWebhook = (db: Reader, id: string): Promise<StoredWebhook | undefined> =>
  db.selectFrom('webhooks').select(RECEIVING_COLUMNS).where('id', '=', id).executeTakeFirst()

/** Its deliveries get no numbers meanwhile. */
export const lockWebhook = (trx: Trx, id: string): Promise<StoredWebhook | undefined> =>
  trx.selectFrom('webhooks').select(RECEIVING_COLUMNS).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export async function addWebhook(trx: Trx, row: Insertable<Schema['webhooks']>): Promise<void> {
  await trx.insertInto('webhooks').values(row).execute()
}

export async function updateWebhook(trx: Trx, id: string, changes: Updateable<Schema['webhooks']>): Promise<void> {
  if (Object.keys(changes).length > 0) await trx.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

export async function deleteWebhook(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('webhooks').where('id', '=', id).execute()
  await trx.deleteFrom('outbox_receivers').where('kind', '=', 'webhook').where('receiver_id', '=', id).execute()
}

const DELIVERY_COLUMNS = [
  'number',
  'id',
  'sequence',
  'type',
  'fact',
  'created_at',
  'state',
  'attempts',
  'last_status',
  'last_error',
  'next_attempt_at',
] as const

type DeliveryRow = Pick<Selectable<Schema['outbox_deliveries']>, (typeof DELIVERY_COLUMNS)[number]>

export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  sequence: row.sequence,
  type: row.type,
  createdAt: row.created_at,
  state: row.state,
  attempts: row.attempts,
  lastStatus: row.last_status,
  lastError: row.last_error,
  nextAttemptAt: row.state === 'waiting' ? row.next_attempt_at : null,
})

const deliveriesOf = (db: Reader, webhookId: string) =>
  db
    .selectFrom('outbox_deliveries')
    .select(DELIVERY_COLUMNS)
    .where('kind', '=', 'webhook')
    .where('receiver_id', '=', webhookId)

/** Newest first. */
export async function listDeliveries(
  db: Reader,
  { webhookId, sequence }: { webhookId: string; sequence: number | undefined },
  limit: number,
  after: Position | undefined,
) {
  const rows = await deliveriesOf(db, webhookId)
    .$if(sequence !== undefined, (query) => query.where('sequence', '=', sequence ?? 0))
    .$if(after !== undefined, (query) => query.where('number', '<', after?.[0] ?? 0))
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.number, ''], toDelivery)
}

export const lockDelivery = (
  trx: Trx,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<DeliveryRow | undefined> =>
  deliveriesOf(trx, webhookId).where('id', '=', deliveryId).forNoKeyUpdate().executeTakeFirst()

/** Makes a delivery due, as if it were new, with the id and the sequence that it has. */
export async function restartDelivery(
  trx: Trx,
  number: number,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({
      state: 'waiting',
      claim: null,
      attempts: 0,
      next_attempt_at: now,
      scheduled_at: now,
      expires_at: expiresAt,
      finished_at: null,
    })
    .where('number', '=', number)
    .execute()
  trx.signal('deliveries-added', null)
}

/** The entry of the audit trail that a delivery is about. */
export const auditIdOf = (fact: string): string => (JSON.parse(fact) as { audit: { id: string } }).audit.id
