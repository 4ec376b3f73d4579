import { sql } from 'kysely'
import { authorizationMeetsDemand } from '../../identity/roles/role-demands.ts'
import { IDLE_MS } from '../../identity/sessions/session.ts'
import { accountMayAct } from '../../identity/users/account-state.ts'
import type { Reader, Trx, WriteTarget } from '../../storage/database.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'
import { latestIssueTime } from '../authorizations/lifetimes.ts'
import { PERSON_COLUMNS } from '../claims/mapped-claims.ts'
import { CLAIM_COLUMNS } from '../claims/user-claims.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { sessionPermits } from '../clients/client-session-store.ts'
import { clientHonours } from '../clients/client-store.ts'

interface NewAccessToken {
  hash: string
  codeHash: string | null
  clientId: string
  clientGeneration: number
  scope: string
  issuedAt: number
  expiresAt: number
}

/** A single statement, which SQLite commits together with statements of other requests. */
export const addAccessToken = writeStatement((db, value: Values<NewAccessToken>) =>
  db.insertInto('oauth_access_tokens').values({
    token_hash: value('hash'),
    code_hash: value('codeHash'),
    client_id: value('clientId'),
    client_generation: value('clientGeneration'),
    scope: value('scope'),
    issued_at: value('issuedAt'),
    expires_at: value('expiresAt'),
  }),
)

interface NewRefreshToken {
  hash: string
  codeHash: string
  parentHash: string | null
  scope: string
  issuedAt: number
  expiresAt: number
}

export const addRefreshToken = writeStatement((db, value: Values<NewRefreshToken>) =>
  db.insertInto('oauth_refresh_tokens').values({
    token_hash: value('hash'),
    code_hash: value('codeHash'),
    parent_hash: value('parentHash'),
    scope: value('scope'),
    issued_at: value('issuedAt'),
    expires_at: value('expiresAt'),
  }),
)

/**
 * Access tokens that are live: not expired, of a client that is there and on, of no revoked authorization or disabled account, of
 * nobody who may not use the client, and of a sign-in that is as strong as the roles of its user demand.
 */
export const liveAccessTokens = (db: Reader, now: number, latestIssue: number) =>
  db
    .selectFrom('oauth_access_tokens as tokens')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'tokens.client_id')
    .leftJoin('oauth_authorization_codes as codes', 'codes.code_hash', 'tokens.code_hash')
    .leftJoin('users', 'users.id', 'codes.user_id')
    .where('tokens.expires_at', '>', now)
    .where(clientHonours('tokens.client_generation'))
    .where('tokens.issued_at', '<=', latestIssue)
    .where((eb) =>
      eb.or([
        eb('tokens.code_hash', 'is', null),
        eb.and([
          eb('users.id', 'is not', null),
          eb('codes.revoked_at', 'is', null),
          accountMayAct(eb),
          authorizationMeetsDemand,
          mayUseClient(sql.ref('users.id')),
        ]),
      ]),
    )

const liveAccessToken = readStatement((db, value: Values<{ hash: string; now: number; latestIssue: number }>) =>
  liveAccessTokens(db, value('now'), value('latestIssue'))
    .where('tokens.token_hash', '=', value('hash'))
    .select([
      'tokens.client_id as clientId',
      'tokens.scope',
      'tokens.issued_at as issuedAt',
      'tokens.expires_at as expiresAt',
      'users.id as userId',
      'codes.claims',
      'codes.acr',
      'codes.auth_time as authTime',
    ])
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS),
)

/**
 * A token that is valid now: it has not expired, its client exists, its authorization is not revoked, its user may act and
 * may use the client.
 * A token of client credentials has no user.
 */
export async function findAccessToken(db: Reader, hash: string, now: number) {
  const [row] = await liveAccessToken(db, { hash, now, latestIssue: latestIssueTime(now) })
  return row
}

/** How many live ones expire after one time, which is not before now, and, if another is given, not after that. */
export async function countLiveAccessTokens(
  db: Reader,
  now: number,
  { after, upTo }: { after: number; upTo: number | undefined },
): Promise<number> {
  // With a second lower bound, SQLite may read the index from that one on.
  const { count } = await liveAccessTokens(db, after, latestIssueTime(now))
    .$if(upTo !== undefined, (query) => query.where('tokens.expires_at', '<=', upTo ?? 0))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const unrevokedRefreshToken = readStatement((db, value: Values<{ hash: string; now: number; idleSince: number }>) =>
  db
    .selectFrom('oauth_refresh_tokens as tokens')
    .innerJoin('oauth_authorization_codes as codes', 'codes.code_hash', 'tokens.code_hash')
    .innerJoin('users', 'users.id', 'codes.user_id')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'codes.client_id')
    .leftJoin('oauth_refresh_tokens as parents', 'parents.token_hash', 'tokens.parent_hash')
    .where('tokens.token_hash', '=', value('hash'))
    .where('codes.revoked_at', 'is', null)
    .where(accountMayAct)
    .where(authorizationMeetsDemand)
    .where(clientHonours('codes.client_generation'))
    .where(mayUseClient(sql.ref('users.id')))
    .where(sessionPermits(value('now'), value('idleSince')))
    .select([
      'tokens.token_hash as hash',
      'tokens.code_hash as codeHash',
      'tokens.scope',
      'tokens.used_at as usedAt',
      'tokens.successor_used_at as successorUsedAt',
      'tokens.issued_at as issuedAt',
      'tokens.expires_at as expiresAt',
      // The first token of a family has no parent, and a parent that expired long ago is no longer stored.
      'parents.token_hash as parentHash',
      'parents.successor_used_at as parentSuccessorUsedAt',
      'codes.client_id as clientId',
      'oauth_clients.refresh_max_age as refreshMaxAge',
      'codes.client_generation as clientGeneration',
      'codes.user_id as userId',
      'codes.auth_time as authTime',
      'codes.acr',
      'codes.amr',
      'codes.session_id as sessionId',
      'codes.created_at as authorizedAt',
      'codes.expires_at as keptUntil',
      'codes.claims',
    ])
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS),
)

/**
 * A refresh token whose authorization was not revoked, whose user may act, and use the client, and whose session is live where that
 * matters; used or not, expired or not.
 */
export async function findRefreshToken(db: Reader, hash: string, now: number) {
  const [row] = await unrevokedRefreshToken(db, { hash, now, idleSince: now - IDLE_MS })
  return row
}

export type RefreshToken = NonNullable<Awaited<ReturnType<typeof findRefreshToken>>>

const useRefreshToken = writeStatement((db, value: Values<{ hash: string; parentHash: string | null; now: number }>) =>
  db
    .updateTable('oauth_refresh_tokens')
    .set({
      used_at: sql<number | null>`case when token_hash = ${value('hash')} then ${value('now')} else used_at end`,
      successor_used_at: sql<
        number | null
      >`case when token_hash = ${value('hash')} then successor_used_at else ${value('now')} end`,
    })
    .where((eb) =>
      eb.or([
        eb.and([eb('token_hash', '=', value('hash')), eb('used_at', 'is', null)]),
        eb.and([eb('token_hash', '=', value('parentHash') as string), eb('successor_used_at', 'is', null)]),
      ]),
    )
    .returning('token_hash'),
)

/**
 * Marks the token as used, and its parent as having a successor in use, each unless that was done before. Of concurrent
 * uses of one token, one gets `used`; of concurrent uses of several siblings, one gets `marked`.
 */
export async function markRefreshTokenUsed(
  db: WriteTarget,
  { hash, parentHash }: Pick<RefreshToken, 'hash' | 'parentHash'>,
  now: number,
): Promise<{ used: boolean; marked: boolean }> {
  const changed = await useRefreshToken(db, { hash, parentHash, now })
  return {
    used: changed.some(({ token_hash }) => token_hash === hash),
    marked: changed.some(({ token_hash }) => token_hash === parentHash),
  }
}

/** Keeps a used token for as long as its successors live: its row records whether one of them is in use. */
export async function markRefreshTokenNeededUntil(trx: Trx, hash: string, until: number): Promise<void> {
  await trx
    .updateTable('oauth_refresh_tokens')
    .set({ expires_at: until })
    .where('token_hash', '=', hash)
    .where('expires_at', '<', until)
    .execute()
}

/** Does nothing to a token of another client. */
export async function deleteAccessToken(trx: Trx, hash: string, clientId: string): Promise<void> {
  await trx.deleteFrom('oauth_access_tokens').where('token_hash', '=', hash).where('client_id', '=', clientId).execute()
}

/** Revokes all tokens of the refresh token's authorization (RFC 7009 section 2.1). */
export async function markFamilyRevoked(trx: Trx, hash: string, clientId: string, at: number): Promise<void> {
  await trx
    .updateTable('oauth_authorization_codes')
    .set({ revoked_at: at })
    .where('code_hash', '=', (eb) =>
      eb.selectFrom('oauth_refresh_tokens').select('code_hash').where('token_hash', '=', hash),
    )
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .execute()
}
