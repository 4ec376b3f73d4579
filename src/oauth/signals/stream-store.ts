import type { Selectable, Updateable } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { clientExists } from '../clients/client-store.ts'

type StreamRow = Selectable<Schema['signal_streams']>

/** A stream of shared signals, which one client has. */
export interface Stream {
  id: string
  clientId: string
  status: StreamRow['status']
  deliveryMethod: StreamRow['delivery_method']
  /** Where it is pushed to. */
  endpointUrl: string | null
  authorizationSealed: string | null
  /** Null for everything that there is. */
  eventsRequested: string[] | null
  description: string | null
}

const toStream = (row: StreamRow): Stream => ({
  id: row.id,
  clientId: row.client_id,
  status: row.status,
  deliveryMethod: row.delivery_method,
  endpointUrl: row.endpoint_url,
  authorizationSealed: row.authorization_sealed,
  eventsRequested: JSON.parse(row.events_requested) as string[] | null,
  description: row.description,
})

const toColumns = (stream: Partial<Stream>): Updateable<Schema['signal_streams']> => ({
  ...(stream.status === undefined ? {} : { status: stream.status }),
  ...(stream.deliveryMethod === undefined ? {} : { delivery_method: stream.deliveryMethod }),
  ...(stream.endpointUrl === undefined ? {} : { endpoint_url: stream.endpointUrl }),
  ...(stream.authorizationSealed === undefined ? {} : { authorization_sealed: stream.authorizationSealed }),
  ...(stream.eventsRequested === undefined ? {} : { events_requested: JSON.stringify(stream.eventsRequested) }),
  ...(stream.description === undefined ? {} : { description: stream.description }),
})

const ofClient = (db: Reader, clientId: string) =>
  db.selectFrom('signal_streams').selectAll().where('client_id', '=', clientId)

export async function findStream(db: Reader, clientId: string): Promise<Stream | undefined> {
  const row = await ofClient(db, clientId).executeTakeFirst()
  return row && toStream(row)
}

/**
 * Locks the stream: what happens meanwhile is told as the stream is after this. Shared by those who tell it something, so that nothing is
 * added as due to a stream that is being paused.
 */
export async function lockStream(trx: Trx, clientId: string): Promise<Stream | undefined> {
  const row = await ofClient(trx, clientId).forNoKeyUpdate().executeTakeFirst()
  return row && toStream(row)
}

/** False when the client has one already. */
export async function addStream(trx: Trx, stream: Stream, now: number): Promise<boolean> {
  const added = await trx
    .insertInto('signal_streams')
    .values({
      id: stream.id,
      client_id: stream.clientId,
      status: stream.status,
      delivery_method: stream.deliveryMethod,
      endpoint_url: stream.endpointUrl,
      authorization_sealed: stream.authorizationSealed,
      events_requested: JSON.stringify(stream.eventsRequested),
      description: stream.description,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}

export async function updateStream(trx: Trx, clientId: string, change: Partial<Stream>, now: number): Promise<void> {
  await trx
    .updateTable('signal_streams')
    .set({ ...toColumns(change), updated_at: now })
    .where('client_id', '=', clientId)
    .execute()
}

/** False when there is none. */
export async function deleteStreamRow(trx: Trx, clientId: string): Promise<boolean> {
  const deleted = await trx.deleteFrom('signal_streams').where('client_id', '=', clientId).returning('id').execute()
  return deleted.length > 0
}

/** Where to push what one client is told, and the redirect URLs of that client. Also while it is turned off. */
export async function findPushTarget(
  db: Reader,
  clientId: string,
): Promise<{ stream: Stream; redirectUris: string } | undefined> {
  const row = await db
    .selectFrom('signal_streams')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'signal_streams.client_id')
    .selectAll('signal_streams')
    .select('oauth_clients.redirect_uris as redirectUris')
    .where('signal_streams.client_id', '=', clientId)
    .where(clientExists)
    .executeTakeFirst()
  return row && { stream: toStream(row), redirectUris: row.redirectUris }
}
