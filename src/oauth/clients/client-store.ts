import { type ExpressionBuilder, type Insertable, type SqlBool, type Updateable, sql } from 'kysely'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import type { RowLock } from '../../identity/users/lock-user.ts'
import { type Position, toPage } from '../../platform/http/cursor.ts'
import { contains } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'
import { packedRuleRoles } from '../sites/site-settings.ts'
import { type Client, type ClientRow, type KnownClient, toClient } from './client.ts'

/**
 * Deleting a client only marks its row, until its grants, codes and tokens have been removed. Every query that finds
 * clients, or tokens of one, must use this condition.
 */
export const clientExists = (eb: ExpressionBuilder<Schema, 'oauth_clients'>) =>
  eb('oauth_clients.deleted_at', 'is', null)

/** The same for queries that find what a client may use: nothing, while it is turned off. */
export const clientMayAct = (eb: ExpressionBuilder<Schema, 'oauth_clients'>) =>
  eb.and([clientExists(eb), eb('oauth_clients.disabled_at', 'is', null)])

/**
 * The same for codes and tokens: those of before the client was last turned off are revoked. `generation` is the column with
 * the number that they carry.
 */
export const clientHonours = (generation: string) =>
  sql<SqlBool>`(oauth_clients.deleted_at is null and oauth_clients.disabled_at is null
    and oauth_clients.generation = ${sql.ref(generation)})`

/** The ids of the roles whose holders may use a client, separated by spaces. */
export const packedAllowedRoles = sql<string | null>`(
  select string_agg(oauth_client_roles.role_id, ' ' order by oauth_client_roles.position)
  from oauth_client_roles where oauth_client_roles.client_id = oauth_clients.client_id)`.as('allowedRoles')

const streamId = sql<string | null>`(
  select signal_streams.id from signal_streams where signal_streams.client_id = oauth_clients.client_id)`.as('streamId')

/** What else `ClientRow` has. */
export const PACKED_COLUMNS = [packedAllowedRoles, packedRuleRoles, streamId] as const

/** The columns of `ClientRow`. Prepared statements name them. */
export const CLIENT_COLUMNS = [
  'oauth_clients.client_id',
  'oauth_clients.client_secret_hash',
  'oauth_clients.name',
  'oauth_clients.operator',
  'oauth_clients.client_type',
  'oauth_clients.redirect_uris',
  'oauth_clients.post_logout_redirect_uris',
  'oauth_clients.scopes',
  'oauth_clients.grant_types',
  'oauth_clients.restricted',
  'oauth_clients.id_token_claims',
  'oauth_clients.id_token_alg',
  'oauth_clients.claims',
  'oauth_clients.introspection_claims',
  'oauth_clients.reads_roles',
  'oauth_clients.pkce',
  'oauth_clients.pkce_missing_at',
  'oauth_clients.pkce_sent_at',
  'oauth_clients.consent',
  'oauth_clients.backchannel_logout_uri',
  'oauth_clients.backchannel_logout_session_required',
  'oauth_clients.session_expiry',
  'oauth_clients.refresh_tokens',
  'oauth_clients.signal_subjects',
  'oauth_clients.signal_subject_format',
  'oauth_clients.required_acr',
  'oauth_clients.max_auth_age',
  'oauth_clients.access_token_lifetime',
  'oauth_clients.refresh_token_lifetime',
  'oauth_clients.refresh_max_age',
  'oauth_clients.session_max_age',
  'oauth_clients.launch_url',
  'oauth_clients.logo_version',
  'oauth_clients.hosts',
  'oauth_clients.rules',
  'oauth_clients.identity_headers',
  'oauth_clients.basic',
  'oauth_clients.created_at',
  'oauth_clients.disabled_at',
  'oauth_clients.generation',
] as const

const clients = (db: Reader) =>
  db.selectFrom('oauth_clients').select(CLIENT_COLUMNS).select(PACKED_COLUMNS).where(clientExists)

const byId = readStatement((db, value: Values<{ clientId: string }>) =>
  clients(db).where('client_id', '=', value('clientId')).where('client_type', '!=', 'proxied'),
)

/** A client of the OAuth provider: a site behind a proxy is none. */
export async function findClient(db: Reader, clientId: string): Promise<KnownClient | undefined> {
  const [row] = await byId(db, { clientId })
  return row && toKnownClient(row)
}

export const toKnownClient = (row: ClientRow): KnownClient => ({
  ...toClient(row),
  secretHash: row.client_secret_hash,
  generation: row.generation,
  hasStream: row.streamId !== null,
})

const lockingById = (lock: RowLock) =>
  writeStatement((db, value: Values<{ clientId: string }>) => {
    const query = clients(db).where('client_id', '=', value('clientId'))
    return lock === 'shared' ? query.forShare('oauth_clients') : query.forNoKeyUpdate('oauth_clients')
  })
const lockingBy = { shared: lockingById('shared'), exclusive: lockingById('exclusive') }

/**
 * Locks the client's row: changing or deleting the client waits until this transaction ends. Lock the account and the
 * session of the actor first, as every other change does, so that no two transactions wait for each other.
 */
export async function lockClient(trx: Trx, clientId: string, lock: RowLock): Promise<KnownClient | undefined> {
  const [row] = await lockingBy[lock](trx, { clientId })
  return row && toKnownClient(row)
}

/** Those of these scopes that any client may ask for. */
export async function listUsedScopes(db: Reader, scopes: readonly string[]): Promise<string[]> {
  const isUsed = async (scope: string) => {
    const rows = await db
      .selectFrom('oauth_clients')
      .select('client_id')
      .where(clientExists)
      .where('scopes', 'like', `%"${scope}"%`)
      .limit(1)
      .execute()
    return rows.length > 0
  }
  const used = await Promise.all(scopes.map(isUsed))
  return scopes.filter((_, at) => used[at])
}

/** Newest first; with `q` those whose name contains it, or whose id it is. */
export async function listClients(db: Reader, limit: number, after: Position | undefined, q = '') {
  const rows = await clients(db)
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

export async function addClient(trx: CheckedTrx, client: Insertable<Schema['oauth_clients']>): Promise<void> {
  await trx.insertInto('oauth_clients').values(client).execute()
}

/** Updates columns of a client that this transaction has locked. */
export async function updateClientRow(
  trx: CheckedTrx,
  clientId: string,
  change: Updateable<Schema['oauth_clients']>,
): Promise<void> {
  await trx.updateTable('oauth_clients').set(change).where('client_id', '=', clientId).where(clientExists).execute()
}

/** Null without a logo, undefined when there is no such client. */
export async function findLogoVersion(db: Reader, clientId: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('oauth_clients')
    .select('logo_version')
    .where('client_id', '=', clientId)
    .where(clientExists)
    .executeTakeFirst()
  return row?.logo_version
}

/** As the API shows it. */
export async function readClient(db: Reader, clientId: string): Promise<Client | undefined> {
  const row = await clients(db).where('client_id', '=', clientId).executeTakeFirst()
  return row && toClient(row)
}

/** Its grants, codes and tokens are no longer valid. Does nothing when there is no such client. */
export async function markClientDeleted(trx: CheckedTrx, clientId: string, now: number): Promise<void> {
  await trx
    .updateTable('oauth_clients')
    .set({
      deleted_at: now,
      client_secret_hash: null,
      telling: sql<number>`case when backchannel_logout_uri is null then 0 else 1 end`,
    })
    .where('client_id', '=', clientId)
    .where(clientExists)
    .execute()
}

/** Clients that are marked as deleted, and of which something can be removed now: see `deleteMarkedClient`. */
export async function listDeletedClientIds(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where(sql<boolean>`deleted_at is not null and telling = 0`)
    .where((eb) =>
      eb.or([
        sql<boolean>`exists (select 1 from oauth_grants where oauth_grants.client_id = oauth_clients.client_id)`,
        isToldNothingMore,
      ]),
    )
    .limit(limit)
    .execute()
  return rows.map((row) => row.client_id)
}

/**
 * Deletes the row of a client that is marked as deleted. It has the address to which what still waits is sent, and stays until that was
 * taken, or is given up.
 */
export async function deleteMarkedClient(trx: Trx, clientId: string): Promise<void> {
  await trx
    .deleteFrom('oauth_clients')
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is not', null)
    .where('telling', '=', 0)
    .where(isToldNothingMore)
    .execute()
}

const isToldNothingMore = sql<boolean>`not exists (
  select 1 from outbox_deliveries
  where outbox_deliveries.state = 'waiting' and outbox_deliveries.kind in ('logout', 'signals')
    and outbox_deliveries.receiver_id = oauth_clients.client_id)`
