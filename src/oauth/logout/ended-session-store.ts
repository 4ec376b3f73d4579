import { type SqlBool, sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import { clientHonours } from '../clients/client-store.ts'
import { takesLogout } from './logout-store.ts'

interface ClientSession {
  sessionId: string
  clientId: string
}

/** Codes are found by their user: an index of their sessions would cost every sign-in more than it saves here. */
interface SessionsOfUser {
  userId: string
  sessionIds: string[]
}

/** Codes of sessions, with tokens that are live. */
const liveCodes = (db: Reader, now: number) =>
  db
    .selectFrom('oauth_authorization_codes as codes')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'codes.client_id')
    .where('codes.session_id', 'is not', null)
    .where('codes.consumed_at', 'is not', null)
    .where('codes.revoked_at', 'is', null)
    .where('codes.expires_at', '>', now)
    .where(clientHonours('codes.client_generation'))

/**
 * The applications that hold something of one of these sessions and take logout tokens: they got its `sid`, or have a live token of it.
 */
export async function listClientsOfSessions(
  trx: Trx,
  { userId, sessionIds, now }: SessionsOfUser & { now: number },
): Promise<ClientSession[]> {
  const rows = await trx
    .selectFrom('oauth_client_sessions as noted')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'noted.client_id')
    .where('noted.session_id', 'in', sessionIds)
    .where(takesLogout)
    .select(['noted.session_id as sessionId', 'noted.client_id as clientId'])
    .union(
      liveCodes(trx, now)
        .where('codes.user_id', '=', userId)
        .where('codes.session_id', 'in', sessionIds)
        .where(takesLogout)
        .select([sql<string>`codes.session_id`.as('sessionId'), 'codes.client_id as clientId']),
    )
    .orderBy('sessionId')
    .orderBy('clientId')
    .execute()
  return rows
}

/** The sessions of which these applications hold something, of these people. */
export const listSessionsAtClients = (
  trx: Trx,
  { userIds, clientIds, now }: { userIds: string[]; clientIds: string[]; now: number },
): Promise<(ClientSession & { userId: string })[]> =>
  trx
    .selectFrom('oauth_client_sessions as noted')
    .where('noted.user_id', 'in', userIds)
    .where('noted.client_id', 'in', clientIds)
    .select(['noted.session_id as sessionId', 'noted.client_id as clientId', 'noted.user_id as userId'])
    .union(
      liveCodes(trx, now)
        .where('codes.user_id', 'in', userIds)
        .where('codes.client_id', 'in', clientIds)
        .select([
          sql<string>`codes.session_id`.as('sessionId'),
          'codes.client_id as clientId',
          'codes.user_id as userId',
        ]),
    )
    .orderBy('sessionId')
    .execute()

/** Forgets who got the `sid` of these sessions: they are told that it has ended. */
export async function deleteClientSessions(
  trx: Trx,
  of: { sessionIds: string[] } | { userIds: string[]; clientIds: string[] },
): Promise<void> {
  const rows = trx.deleteFrom('oauth_client_sessions')
  if ('sessionIds' in of) await rows.where('session_id', 'in', of.sessionIds).execute()
  else await rows.where('user_id', 'in', of.userIds).where('client_id', 'in', of.clientIds).execute()
}

/**
 * Revokes what ends with these sessions: the authorizations of clients whose refresh tokens do, and codes on their way to clients that
 * are told of a session's end, because they would arrive after that.
 */
export async function markCodesOfSessionsRevoked(
  trx: Trx,
  { userId, sessionIds }: SessionsOfUser,
  at: number,
): Promise<void> {
  await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('session_id', 'in', sessionIds)
    .where('revoked_at', 'is', null)
    .where(
      sql<SqlBool>`exists (select 1 from oauth_clients
        where oauth_clients.client_id = oauth_authorization_codes.client_id
          and (oauth_clients.refresh_tokens = 'session' or (oauth_authorization_codes.consumed_at is null
            and (oauth_clients.backchannel_logout_uri is not null or exists (
              select 1 from signal_streams where signal_streams.client_id = oauth_clients.client_id)))))`,
    )
    .execute()
}

interface ExpiredSession {
  id: string
  userId: string
  expiresAt: number
}

/** The next sessions that have expired and are not deleted yet, in the order in which they expired. */
export const listExpiredSessions = (
  db: Reader,
  { now, after, limit }: { now: number; after: Pick<ExpiredSession, 'id' | 'expiresAt'>; limit: number },
): Promise<ExpiredSession[]> =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_id as userId', 'expires_at as expiresAt'])
    .where('expires_at', '<=', now)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('expires_at', 'id'), '>', tuple(after.expiresAt, after.id)))
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Revokes the authorizations in these sessions of clients whose refresh tokens end with the session. */
export async function markCodesOfExpiredSessionsRevoked(
  trx: Trx,
  sessions: ExpiredSession[],
  at: number,
): Promise<void> {
  const [userIds, sessionIds] = [sessions.map(({ userId }) => userId), sessions.map(({ id }) => id)]
  await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', 'in', userIds)
    .where('session_id', 'in', sessionIds)
    .where('revoked_at', 'is', null)
    .where(
      sql<SqlBool>`exists (select 1 from oauth_clients
        where oauth_clients.client_id = oauth_authorization_codes.client_id and oauth_clients.refresh_tokens = 'session')`,
    )
    .execute()
}
