import type { ExpressionBuilder, Insertable, Selectable, Updateable } from 'kysely'
import { type Position, toPage } from '../../http/cursor.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import type { RowLock } from '../../users/user-lock-store.ts'
import { type Client, type KnownClient, toClient } from './client.ts'

/**
 * A client that was deleted is unknown to everybody, and its tokens are dead. Its row stays until what hangs on it has been
 * removed; every query that finds clients, or tokens of one, asks this.
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

const toKnownClient = (row: Selectable<Schema['oauth_clients']>): KnownClient => ({
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
 * The client as it stays until the transaction ends: whoever would change or delete it waits. Hold the account and the
 * session of the actor first, as every other change does, so that no two transactions wait for each other.
 */
export async function holdClient(trx: Trx, clientId: string, lock: RowLock): Promise<KnownClient | undefined> {
  const [row] = await held[lock](trx, { clientId })
  return row && toKnownClient(row)
}

/** Newest first. */
export async function listClients(db: Reader, limit: number, after: Position | undefined) {
  const rows = await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where(clientExists)
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

/** Writes these columns of a client that is held, and answers the client as it is afterwards. */
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

/** Its grants, codes and tokens die with it. Answers its name, or nothing when there is none. */
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
