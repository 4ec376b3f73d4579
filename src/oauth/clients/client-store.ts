import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Position, toPage } from '../../http/cursor.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import { contains } from '../../storage/text-search.ts'
import type { RowLock } from '../../users/user-lock-store.ts'
import { type Client, type KnownClient, toClient } from './client.ts'

/**
 * Deleting a client only marks its row, until its grants, codes and tokens have been removed. Every query that finds
 * clients, or tokens of one, must use this condition.
 */
export const clientExists = (eb: ExpressionBuilder<Schema, 'oauth_clients'>) =>
  eb('oauth_clients.deleted_at', 'is', null)

const byId = readStatement((db, value: Values<{ clientId: string }>) =>
  db.selectFrom('oauth_clients').selectAll().where('client_id', '=', value('clientId')).where(clientExists),
)

export async function findClient(db: Reader, clientId: string): Promise<KnownClient | undefined> {
  const [row] = await byId(db, { clientId })
  return row && toKnownClient(row)
}

export const toKnownClient = (row: Selectable<Schema['oauth_clients']>): KnownClient => ({
  ...toClient(row),
  secretHash: row.client_secret_hash,
})

const heldById = (lock: RowLock) =>
  writeStatement((db, value: Values<{ clientId: string }>) => {
    const query = db
      .selectFrom('oauth_clients')
      .selectAll()
      .where('client_id', '=', value('clientId'))
      .where(clientExists)
    return lock === 'shared' ? query.forShare() : query.forNoKeyUpdate()
  })
const held = { shared: heldById('shared'), exclusive: heldById('exclusive') }

/**
 * Locks the client's row: changing or deleting the client waits until this transaction ends. Hold the account and the
 * session of the actor first, as every other change does, so that no two transactions wait for each other.
 */
export async function holdClient(trx: Trx, clientId: string, lock: RowLock): Promise<KnownClient | undefined> {
  const [row] = await held[lock](trx, { clientId })
  return row && toKnownClient(row)
}

/** Newest first; with `q` those whose name contains it, or whose id it is. */
export async function listClients(db: Reader, limit: number, after: Position | undefined, q = '') {
  const rows = await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where(clientExists)
    .$if(q !== '', (query) =>
      query.where(sql<boolean>`(${contains('oauth_clients.name', q)} or lower(client_id) = lower(${q}))`),
    )
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'client_id'), '<', tuple(after?.[0] ?? 0, after?.[1] ?? '')),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('client_id', 'desc')
    .limit(limit + 1)
    .execute()
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.created_at, row.client_id], toClient)
  return { clients: items, nextCursor }
}

export async function addClient(trx: Trx, client: Insertable<Schema['oauth_clients']>): Promise<void> {
  await trx.insertInto('oauth_clients').values(client).execute()
}

/** Updates columns of a client that this transaction holds, and returns the client after the update. */
export async function updateClientRow(
  trx: Trx,
  clientId: string,
  change: Updateable<Schema['oauth_clients']>,
): Promise<Client> {
  const row = await trx
    .updateTable('oauth_clients')
    .set(change)
    .where('client_id', '=', clientId)
    .where(clientExists)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toClient(row)
}

/** Its grants, codes and tokens are no longer valid. Returns its name, or undefined when there is no such client. */
export async function markClientDeleted(trx: Trx, clientId: string, now: number): Promise<string | undefined> {
  const row = await trx
    .updateTable('oauth_clients')
    .set({ deleted_at: now, client_secret_hash: null })
    .where('client_id', '=', clientId)
    .where(clientExists)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** Clients that are marked as deleted and not removed yet. */
export async function listDeletedClientIds(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where(sql<boolean>`deleted_at is not null`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.client_id)
}

/** Deletes the row of a client that is marked as deleted. */
export async function deleteMarkedClient(trx: Trx, clientId: string): Promise<void> {
  await trx.deleteFrom('oauth_clients').where('client_id', '=', clientId).where('deleted_at', 'is not', null).execute()
}
