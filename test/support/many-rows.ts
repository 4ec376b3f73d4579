import { newId } from '../../src/platform/ids.ts'
import type { Database, Reader, Trx } from '../../src/storage/database.ts'

const BATCH_SIZE = 500

/** Calls `add` for `count` numbered rows in batches, each in its own transaction. */
async function inBatches(
  db: Database,
  count: number,
  add: (trx: Trx, numbers: number[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const numbers = Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, index) => from + index)
    await db.transaction((trx) => add(trx, numbers))
  }
}

const numbered = (n: number): string => String(n).padStart(8, '0')

export const addNotifications = (db: Database, userId: string, count: number): Promise<void> =>
  inBatches(db, count, (trx, numbers) =>
    trx
      .insertInto('notifications')
      .values(
        numbers.map((n) => ({
          id: `${numbered(n)}-0000-7000-8000-000000000000`,
          user_id: userId,
          type: 'security.new_login' as const,
          data: '{}',
          created_at: n,
          read_at: null,
        })),
      )
      .execute(),
  )

export async function countNotifications(db: Reader, userId: string, which: 'all' | 'unread'): Promise<number> {
  const { count } = await db
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .$if(which === 'unread', (query) => query.where('read_at', 'is', null))
    .executeTakeFirstOrThrow()
  return count
}

/** Adds used authorization codes of one grant, and the grant if it does not exist. */
export async function addCodes(
  db: Database,
  { userId, clientId }: { userId: string; clientId: string },
  count: number,
) {
  await db.transaction((trx) =>
    trx
      .insertInto('oauth_grants')
      .values({ user_id: userId, client_id: clientId, scopes: '["openid"]', created_at: 1, updated_at: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  await inBatches(db, count, (trx, numbers) =>
    trx
      .insertInto('oauth_authorization_codes')
      .values(
        numbers.map(() => ({
          code_hash: newId(),
          user_id: userId,
          client_id: clientId,
          redirect_uri: 'https://app.example/callback',
          code_challenge: 'x',
          scope: 'openid',
          nonce: null,
          claims: null,
          auth_time: 1,
          acr: '1',
          amr: 'pwd',
          consumed_at: 1,
          revoked_at: null,
          created_at: 1,
          expires_at: 9_000_000_000_000,
        })),
      )
      .execute(),
  )
}

export async function countCodes(db: Reader, clientId: string): Promise<number> {
  const { count } = await db
    .selectFrom('oauth_authorization_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  return count
}

/** Adds access tokens of a client, without a person. Each expires a millisecond later than the one before. */
export const addAccessTokens = (
  db: Database,
  { clientId, issuedAt, expiresAt }: { clientId: string; issuedAt: number; expiresAt: number },
  count: number,
): Promise<void> =>
  inBatches(db, count, (trx, numbers) =>
    trx
      .insertInto('oauth_access_tokens')
      .values(
        numbers.map((n) => ({
          token_hash: newId(),
          code_hash: null,
          client_id: clientId,
          scope: 'openid',
          issued_at: issuedAt,
          expires_at: expiresAt + n,
        })),
      )
      .execute(),
  )
