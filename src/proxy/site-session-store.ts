import { clientMayAct } from '../oauth/clients/client-store.ts'
import { sessionLives } from '../sessions/session-store.ts'
import type { Reader, Trx } from '../storage/database.ts'
import { accountMayAct } from '../users/account-standing.ts'

interface NewCode {
  codeHash: string
  host: string
  sessionId: string
  state: string
  returnTo: string
  expiresAt: number
}

/** Fails as a missing reference when the site or the session is gone. */
export async function addSiteCode(trx: Trx, code: NewCode): Promise<void> {
  await trx
    .insertInto('proxy_codes')
    .values({
      code_hash: code.codeHash,
      host: code.host,
      session_id: code.sessionId,
      state: code.state,
      return_to: code.returnTo,
      expires_at: code.expiresAt,
    })
    .execute()
}

/** The session that a code is for. It is not locked: hold the account and the session first, as everything does that ends them. */
export async function findSessionOfCode(db: Reader, codeHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('proxy_codes')
    .select('session_id')
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return row?.session_id
}

/** Takes a code out of storage, whoever brings it. Read and delete are one statement, so it serves once. */
export const consumeSiteCode = (
  trx: Trx,
  codeHash: string,
): Promise<{ host: string; state: string; returnTo: string; expiresAt: number } | undefined> =>
  trx
    .deleteFrom('proxy_codes')
    .where('code_hash', '=', codeHash)
    .returning(['host', 'state', 'return_to as returnTo', 'expires_at as expiresAt'])
    .executeTakeFirst()

/** A session that is live, of an account that may act, and stays so until the transaction ends; and a site that has the host and is on. */
export const holdSiteSession = (
  trx: Trx,
  { sessionId, host, now }: { sessionId: string; host: string; now: number },
): Promise<{ remembered: number; expiresAt: number } | undefined> =>
  trx
    .selectFrom('users')
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .innerJoin('proxy_hosts', (join) => join.on('proxy_hosts.host', '=', host))
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'proxy_hosts.client_id')
    .where('sessions.id', '=', sessionId)
    .where(sessionLives(now))
    .where(accountMayAct)
    .where(clientMayAct)
    .select(['sessions.remembered', 'sessions.expires_at as expiresAt'])
    .forShare(['users', 'sessions', 'proxy_hosts'])
    .executeTakeFirst()

/** Two tabs may get their cookies in another order than they asked for them, so the ones of the last minute stay. */
const KEPT_MS = 60_000

/** Adds the cookie of a session at a host, and ends those that it replaces. */
export async function replaceSiteCookie(
  trx: Trx,
  { tokenHash, host, sessionId, now }: { tokenHash: string; host: string; sessionId: string; now: number },
): Promise<void> {
  await trx
    .deleteFrom('proxy_cookies')
    .where('session_id', '=', sessionId)
    .where('host', '=', host)
    .where('created_at', '<', now - KEPT_MS)
    .execute()
  await trx
    .insertInto('proxy_cookies')
    .values({ token_hash: tokenHash, host, session_id: sessionId, created_at: now })
    .execute()
}

/** Ends every cookie of that session at that host. */
export async function deleteSiteCookies(trx: Trx, tokenHash: string, host: string): Promise<void> {
  await trx
    .deleteFrom('proxy_cookies')
    .where('host', '=', host)
    .where('session_id', 'in', (eb) =>
      eb
        .selectFrom('proxy_cookies as own')
        .select('own.session_id')
        .where('own.token_hash', '=', tokenHash)
        .where('own.host', '=', host),
    )
    .execute()
}
