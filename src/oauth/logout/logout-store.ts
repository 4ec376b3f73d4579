import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { SigningAlgorithm } from '../../platform/keys/signing-keys.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'

/** Whom to tell about at which application. */
export interface ToldGrants {
  userIds: string[]
  /** Absent: at every one. */
  clientId?: string
  /** Only where the person may not use the application. */
  isLost?: boolean
  /** The application still holds something of the person, and is told again when that ends. */
  holdsMore?: boolean
}

export interface ToldGrant {
  userId: string
  clientId: string
  /** It wants a session named in each of its logout tokens. */
  needsSid: boolean
}

/** Applications that take logout tokens. Of a deleted one people are told until all of them are. */
export const takesLogout = (eb: ExpressionBuilder<Schema, 'oauth_clients'>) =>
  eb.and([
    eb('oauth_clients.backchannel_logout_uri', 'is not', null),
    eb.or([eb('oauth_clients.deleted_at', 'is', null), eb('oauth_clients.telling', '=', 1)]),
  ])

/**
 * Marks that applications are told that these people have nothing there any more, and returns which: those that may hold something of a
 * person since they were last told so.
 */
export async function markGrantsTold(
  trx: Trx,
  { userIds, clientId, isLost = false, holdsMore = false }: ToldGrants,
): Promise<ToldGrant[]> {
  if (userIds.length === 0) return []
  const rows = await trx
    .updateTable('oauth_grants')
    .set({ untold: holdsMore ? 1 : 0 })
    .where('user_id', 'in', userIds)
    .where('untold', '=', 1)
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('oauth_clients')
          .select('oauth_clients.client_id')
          .whereRef('oauth_clients.client_id', '=', 'oauth_grants.client_id')
          .where(takesLogout)
          .$if(isLost, (query) => query.where(sql<SqlBool>`not ${mayUseClient(sql.ref('oauth_grants.user_id'))}`)),
      ),
    )
    .returning(['user_id as userId', 'client_id as clientId'])
    .returning((eb) =>
      eb
        .selectFrom('oauth_clients')
        .select('oauth_clients.backchannel_logout_session_required')
        .whereRef('oauth_clients.client_id', '=', 'oauth_grants.client_id')
        .as('needsSid'),
    )
    .execute()
  return rows.map(({ userId, clientId, needsSid }) => ({ userId, clientId, needsSid: needsSid === 1 }))
}

/** The application may hold something of the person, and has to be told when that ends. */
export const markGrantUntold = writeStatement((db, value: Values<{ userId: string; clientId: string }>) =>
  db
    .updateTable('oauth_grants')
    .set({ untold: 1 })
    .where('user_id', '=', value('userId'))
    .where('client_id', '=', value('clientId')),
)

/** The next people, in order of their ids, whom an application is still to be told about. */
export async function listUntoldUsers(
  db: Reader,
  { clientId, after, limit }: { clientId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_grants.client_id')
    .where(takesLogout)
    .select('oauth_grants.user_id')
    .where('oauth_grants.client_id', '=', clientId)
    .where('oauth_grants.user_id', '>', after)
    .where('oauth_grants.untold', '=', 1)
    .orderBy('oauth_grants.user_id')
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Applications that were turned off or deleted, and are still to be told of people. */
export async function listTellingClients(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where(sql<boolean>`telling = 1`)
    .orderBy('client_id')
    .limit(limit)
    .execute()
  return rows.map(({ client_id }) => client_id)
}

export async function markClientTold(trx: Trx, clientId: string): Promise<void> {
  await trx.updateTable('oauth_clients').set({ telling: 0 }).where('client_id', '=', clientId).execute()
}

const receiver = readStatement((db, value: Values<{ number: number; clientId: string }>) =>
  db
    .selectFrom('oauth_clients')
    .innerJoin('outbox_deliveries', (join) => join.on('outbox_deliveries.number', '=', value('number')))
    .where('oauth_clients.client_id', '=', value('clientId'))
    .select([
      'oauth_clients.backchannel_logout_uri as uri',
      'oauth_clients.id_token_alg as alg',
      'outbox_deliveries.rejections',
    ]),
)

/** Where logout tokens of a delivery go, also of an application that was deleted or turned off. Undefined when it takes none any more. */
export async function findLogoutReceiver(
  db: Reader,
  { number, receiverId: clientId }: { number: number; receiverId: string },
): Promise<{ uri: string; alg: SigningAlgorithm; rejections: number } | undefined> {
  const [row] = await receiver(db, { number, clientId })
  return row && row.uri !== null ? { uri: row.uri, alg: row.alg, rejections: row.rejections } : undefined
}

export async function markRejected(trx: Trx, number: number): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ rejections: sql<number>`rejections + 1` })
    .where('number', '=', number)
    .execute()
}
