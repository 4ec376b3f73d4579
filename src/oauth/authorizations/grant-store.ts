import { Type } from 'typebox'
import { Time } from '../../platform/http/contracts.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { type Values, writeStatement } from '../../storage/statement.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { CLIENT_COLUMNS, PACKED_COLUMNS, clientExists, toKnownClient } from '../clients/client-store.ts'
import type { KnownClient } from '../clients/client.ts'

/** The scopes that a user has granted to an application. */
export const OAuthGrant = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'OAuthGrant' },
)
export type OAuthGrant = Type.Static<typeof OAuthGrant>

const clientWithGrant = writeStatement((db, value: Values<{ clientId: string; userId: string }>) =>
  db
    .selectFrom('oauth_clients')
    .leftJoin('oauth_grants', (join) =>
      join
        .onRef('oauth_grants.client_id', '=', 'oauth_clients.client_id')
        .on('oauth_grants.user_id', '=', value('userId')),
    )
    .where('oauth_clients.client_id', '=', value('clientId'))
    .where(clientExists)
    .select(CLIENT_COLUMNS)
    .select(PACKED_COLUMNS)
    .select(['oauth_grants.scopes as granted', 'oauth_grants.untold'])
    .select(mayUseClient(value('userId')).as('mayUse'))
    .forShare('oauth_clients'),
)

/**
 * The client, locked as by `lockClient`, the scopes that the user has granted to it, and whether the user may use it. Lock the user's account first: every
 * change of its grants locks it exclusively.
 */
export async function lockClientWithGrant(trx: Trx, clientId: string, userId: string): Promise<LockedGrant> {
  const [row] = await clientWithGrant(trx, { clientId, userId })
  return {
    client: row && toKnownClient(row),
    granted: row?.granted ? readTextList(row.granted) : [],
    mayUse: Boolean(row?.mayUse),
    isTold: row?.untold === 0,
  }
}

export interface LockedGrant {
  client: KnownClient | undefined
  granted: string[]
  mayUse: boolean
  /** It was told that all access had ended, and nothing was approved since. */
  isTold: boolean
}

/** Most recently approved first. */
export async function listGrants(db: Reader, userId: string): Promise<OAuthGrant[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_grants.client_id')
    .where('oauth_grants.user_id', '=', userId)
    .where(clientExists)
    .select([
      'oauth_grants.client_id',
      'oauth_clients.name',
      'oauth_grants.scopes',
      'oauth_grants.created_at',
      'oauth_grants.updated_at',
    ])
    .orderBy('oauth_grants.updated_at', 'desc')
    .orderBy('oauth_grants.client_id')
    .execute()
  return rows.map((row) => ({
    client_id: row.client_id,
    name: row.name,
    scopes: readTextList(row.scopes),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

/**
 * Adds scopes to the user's grant, and returns those that are new. The first statement creates the row or locks it, so
 * that of two approvals at the same time neither overwrites the other. `isTrial`: the application gets nothing.
 */
export async function addToGrant(
  trx: Trx,
  {
    userId,
    clientId,
    scopes,
    at,
    isTrial = false,
  }: { userId: string; clientId: string; scopes: string[]; at: number; isTrial?: boolean },
): Promise<string[]> {
  const row = await trx
    .insertInto('oauth_grants')
    .values({
      user_id: userId,
      client_id: clientId,
      scopes: '[]',
      created_at: at,
      updated_at: at,
      untold: isTrial ? 0 : 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'client_id'])
        .doUpdateSet(isTrial ? { updated_at: at } : { updated_at: at, untold: 1 }),
    )
    .returning('scopes')
    .executeTakeFirstOrThrow()
  const before = readTextList(row.scopes)
  const added = scopes.filter((scope) => !before.includes(scope))
  if (added.length > 0) {
    await trx
      .updateTable('oauth_grants')
      .set({ scopes: JSON.stringify([...before, ...added]) })
      .where('user_id', '=', userId)
      .where('client_id', '=', clientId)
      .execute()
  }
  return added
}

/** Its codes and tokens are deleted with it. Returns the granted scopes, or undefined if there was no grant. */
export async function deleteGrant(trx: Trx, userId: string, clientId: string): Promise<string[] | undefined> {
  const row = await trx
    .deleteFrom('oauth_grants')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .returning('scopes')
    .executeTakeFirst()
  return row && readTextList(row.scopes)
}

/**
 * Deletes the grants of a user with their codes and tokens: those that were approved, or approved once more, at this time or
 * later, except to these clients. Scopes may have been added to an older grant since. Returns how many there were.
 */
export async function deleteGrantsOfUser(
  trx: Trx,
  userId: string,
  { since = 0, except = [] }: { since?: number; except?: string[] } = {},
): Promise<number> {
  const deleted = await trx
    .deleteFrom('oauth_grants')
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('created_at', '>=', since), eb('updated_at', '>=', since)]))
    .where('client_id', 'not in', ['', ...except])
    .returning('user_id')
    .execute()
  return deleted.length
}

/** Some of the users who have granted something to a client. */
export async function listUsersWithGrant(db: Reader, clientId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .select('user_id')
    .where('client_id', '=', clientId)
    .limit(limit)
    .execute()
  return rows.map((row) => row.user_id)
}

/** Deletes what these users have granted to a client. */
export async function deleteGrantsToClient(trx: Trx, clientId: string, userIds: string[]): Promise<void> {
  await trx.deleteFrom('oauth_grants').where('client_id', '=', clientId).where('user_id', 'in', userIds).execute()
}
