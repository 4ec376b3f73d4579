import { type Insertable, sql } from 'kysely'
import { authorizationMeetsDemand } from '../../identity/roles/role-demands.ts'
import { IDLE_MS } from '../../identity/sessions/session.ts'
import { accountMayAct } from '../../identity/users/account-state.ts'
import type { Database, Reader, Trx, WriteTarget } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'
import { PERSON_COLUMNS } from '../claims/mapped-claims.ts'
import { CLAIM_COLUMNS } from '../claims/user-claims.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { sessionPermits } from '../clients/client-session-store.ts'
import { clientHonours } from '../clients/client-store.ts'
import { latestIssueTime } from './lifetimes.ts'

type NewCode = Omit<Insertable<Schema['oauth_authorization_codes']>, 'consumed_at' | 'revoked_at'>

const insertCode = writeStatement((db, value: Values<Required<NewCode>>) =>
  db.insertInto('oauth_authorization_codes').values({
    code_hash: value('code_hash'),
    user_id: value('user_id'),
    client_id: value('client_id'),
    client_generation: value('client_generation'),
    redirect_uri: value('redirect_uri'),
    code_challenge: value('code_challenge'),
    scope: value('scope'),
    nonce: value('nonce'),
    claims: value('claims'),
    auth_time: value('auth_time'),
    acr: value('acr'),
    amr: value('amr'),
    verified: value('verified'),
    session_id: value('session_id'),
    created_at: value('created_at'),
    expires_at: value('expires_at'),
  }),
)

/** The transaction fails as a missing reference when its grant has been deleted. */
export const addCode = (trx: Trx, code: Required<NewCode>): void => insertCode.next(trx, code)

const byHash = readStatement((db, value: Values<{ hash: string; now: number; idleSince: number }>) =>
  db
    .selectFrom('oauth_authorization_codes as codes')
    .innerJoin('users', 'users.id', 'codes.user_id')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'codes.client_id')
    .where('codes.code_hash', '=', value('hash'))
    .where(accountMayAct)
    .where(authorizationMeetsDemand)
    .where(clientHonours('codes.client_generation'))
    .where(mayUseClient(sql.ref('users.id')))
    .where(sessionPermits(value('now'), value('idleSince')))
    .select([
      'codes.user_id as userId',
      'codes.client_id as clientId',
      'codes.client_generation as clientGeneration',
      'codes.redirect_uri as redirectUri',
      'codes.code_challenge as challenge',
      'codes.scope',
      'codes.nonce',
      'codes.claims',
      'codes.auth_time as authTime',
      'codes.acr',
      'codes.amr',
      'codes.session_id as sessionId',
      'codes.consumed_at as consumedAt',
      'codes.revoked_at as revokedAt',
      'codes.created_at as authorizedAt',
      'codes.expires_at as expiresAt',
    ])
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS),
)

/**
 * The code with its authorization, used or not, if its user may act, and use the client, and the client is on, and the session is live
 * where that matters.
 */
export async function findCode(db: Reader, hash: string, now: number) {
  const [row] = await byHash(db, { hash, now, idleSince: now - IDLE_MS })
  return row
}

export type FoundCode = NonNullable<Awaited<ReturnType<typeof findCode>>>

const consume = writeStatement((db, value: Values<{ hash: string; now: number; until: number }>) =>
  db
    .updateTable('oauth_authorization_codes')
    .set({ consumed_at: value('now'), expires_at: value('until') })
    .where('code_hash', '=', value('hash'))
    .where('consumed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', value('now'))
    .returning('code_hash'),
)

/** Marks the code as used. Only one of several concurrent calls gets true. Its row is kept until the given time, for its tokens. */
export const consumeCode = async (db: WriteTarget, hash: string, now: number, until: number): Promise<boolean> =>
  (await consume(db, { hash, now, until })).length > 0

/** Revokes a code that was used, and its tokens. False when they were revoked before. */
export async function markCodeRevoked(trx: Trx, hash: string, at: number): Promise<boolean> {
  const rows = await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('code_hash', '=', hash)
    .where('consumed_at', 'is not', null)
    .where('revoked_at', 'is', null)
    .returning('code_hash')
    .execute()
  return rows.length > 0
}

/** Whether a user has another authorization at a client that was used, or may still be. */
export async function hasLiveCode(
  trx: Trx,
  { userId, clientId, now }: { userId: string; clientId: string; now: number },
): Promise<boolean> {
  const rows = await trx
    .selectFrom('oauth_authorization_codes as codes')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'codes.client_id')
    .select('codes.code_hash')
    .where('codes.user_id', '=', userId)
    .where('codes.client_id', '=', clientId)
    .where('codes.revoked_at', 'is', null)
    .where('codes.expires_at', '>', now)
    .where(clientHonours('codes.client_generation'))
    .limit(1)
    .execute()
  return rows.length > 0
}

interface RevokedCode {
  userId: string
  clientId: string
  createdAt: number
  expiresAt: number
  hasClient: boolean
}

/** Revokes all codes of these users, also expired ones: by the clock of another replica they may still be valid. */
export async function markCodesOfUsersRevoked(trx: Trx, userIds: string[], at: number): Promise<RevokedCode[]> {
  const rows = await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('user_id', 'in', userIds)
    .where('revoked_at', 'is', null)
    .returning(['user_id as userId', 'client_id as clientId', 'created_at as createdAt', 'expires_at as expiresAt'])
    .returning((eb) =>
      eb
        .exists(
          eb
            .selectFrom('oauth_clients')
            .select('oauth_clients.client_id')
            .whereRef('oauth_clients.client_id', '=', 'oauth_authorization_codes.client_id')
            .where(clientHonours('oauth_authorization_codes.client_generation')),
        )
        .as('hasClient'),
    )
    .execute()
  return rows.map((row) => Object.assign(row, { hasClient: Boolean(row.hasClient) }))
}

/** Keeps the authorization for as long as its newest token is valid. */
export async function markCodeNeededUntil(trx: Trx, hash: string, until: number): Promise<void> {
  await trx
    .updateTable('oauth_authorization_codes')
    .set({ expires_at: until })
    .where('code_hash', '=', hash)
    .where('expires_at', '<', until)
    .execute()
}

/** Deletes up to `limit` codes of a grant, with their tokens. Returns how many were deleted. */
export async function deleteSomeCodes(
  trx: Trx,
  { userId, clientId, limit }: { userId: string; clientId: string; limit: number },
): Promise<number> {
  const rows = await trx
    .deleteFrom('oauth_authorization_codes')
    .where('code_hash', 'in', (eb) =>
      eb
        .selectFrom('oauth_authorization_codes')
        .select('code_hash')
        .where('user_id', '=', userId)
        .where('client_id', '=', clientId)
        .limit(limit),
    )
    .returning('code_hash')
    .execute()
  return rows.length
}

/** Deletes all codes of a client that these users have authorized, a slice at a time, until done or stopped. */
export async function deleteCodesInSlices(
  db: Database,
  {
    clientId,
    userIds,
    ...slices
  }: { clientId: string; userIds: string[]; rows: number; pauseMs: number; stop: AbortSignal },
): Promise<void> {
  const where = sql<boolean>`client_id = ${clientId} and user_id in (${sql.join(userIds)})`
  await deleteInSlices(db, { table: 'oauth_authorization_codes', key: 'code_hash', where, ...slices })
}

/** The applications with a live authorization of this user, each once, by name. */
export const listAuthorizedApplications = (
  db: Reader,
  { userId, now, limit }: { userId: string; now: number; limit: number },
): Promise<{ client_id: string; name: string }[]> =>
  db
    .selectFrom('oauth_authorization_codes')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_authorization_codes.client_id')
    .select(['oauth_clients.client_id', 'oauth_clients.name'])
    .distinct()
    .where('oauth_authorization_codes.user_id', '=', userId)
    .where('oauth_authorization_codes.revoked_at', 'is', null)
    .where('oauth_authorization_codes.expires_at', '>', now)
    .where('oauth_authorization_codes.created_at', '<=', latestIssueTime(now))
    .where(clientHonours('oauth_authorization_codes.client_generation'))
    .orderBy('oauth_clients.name')
    .orderBy('oauth_clients.client_id')
    .limit(limit)
    .execute()
