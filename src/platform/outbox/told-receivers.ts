import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'
import type { DeliveryState, ReceiverKind } from '../../vocabulary/receivers.ts'

/** A delivery that the receipt of a disable lists. */
export interface ToldDelivery {
  actionId: string
  kind: ReceiverKind
  receiverId: string
  state: DeliveryState
  finishedAt: number | null
}

export async function listDeliveriesOfActions(db: Reader, actionIds: string[]): Promise<ToldDelivery[]> {
  if (actionIds.length === 0) return []
  const rows = await db
    .selectFrom('outbox_deliveries')
    .select(['action_id', 'kind', 'receiver_id', 'state', 'finished_at'])
    .where('action_id', 'in', actionIds)
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    actionId: row.action_id ?? '',
    kind: row.kind,
    receiverId: row.receiver_id,
    state: row.state,
    finishedAt: row.finished_at,
  }))
}

/** Whether a delivery of the action whose id this column holds is still waiting. A partial index answers it. */
export const isDeliveryWaiting = (actionId: RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from outbox_deliveries
    where outbox_deliveries.action_id = ${actionId} and outbox_deliveries.state = 'waiting')`

export interface ReceiverRef {
  kind: ReceiverKind
  receiverId: string
}

/** What administrators call a receiver: the name of an application, or what a webhook is for. Undefined for one that is gone. */
export type NameReceiver = (receiver: ReceiverRef) => string | undefined

export async function nameReceivers(db: Reader, receivers: readonly ReceiverRef[]): Promise<NameReceiver> {
  const idsOf = (isWebhook: boolean) => [
    ...new Set(receivers.flatMap(({ kind, receiverId }) => ((kind === 'webhook') === isWebhook ? [receiverId] : []))),
  ]
  const webhooks = await nameWebhooks(db, idsOf(true))
  const applications = await nameApplications(db, idsOf(false))
  return ({ kind, receiverId }) => (kind === 'webhook' ? webhooks : applications).get(receiverId)
}

/** The path of a URL may be a secret of the receiver. */
export async function nameWebhooks(db: Reader, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('webhooks').select(['id', 'description', 'url']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, description, url }) => [id, description === '' ? new URL(url).host : description]))
}

async function nameApplications(db: Reader, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('oauth_clients')
    .select(['client_id', 'name'])
    .where('client_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ client_id, name }) => [client_id, name]))
}
