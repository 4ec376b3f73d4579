import { lockClient } from '../oauth/clients/client-store.ts'
import type { Client } from '../oauth/clients/client.ts'
import { findHost } from '../oauth/sites/site-store.ts'
import type { Reader, Trx } from '../storage/database.ts'

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

/** The session that a code is for. Neither is locked: lock the account and the session first, as everything does that ends them. */
export const findSessionOfCode = (
  db: Reader,
  codeHash: string,
): Promise<{ id: string; userId: string; remembered: number; expiresAt: number } | undefined> =>
  db
    .selectFrom('proxy_codes')
    .innerJoin('sessions', 'sessions.id', 'proxy_codes.session_id')
    .where('proxy_codes.code_hash', '=', codeHash)
    .select(['sessions.id', 'sessions.user_id as userId', 'sessions.remembered', 'sessions.expires_at as expiresAt'])
    .executeTakeFirst()

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

/**
 * The site that has a host. Until the transaction ends it keeps the host, and is not turned off or on: what is added for a
 * visitor is there when turning it off ends all of that. Hold the account and the session first, and the client before
 * anything refers to its hosts, as every change of a client does.
 */
export async function lockSite(
  trx: Trx,
  host: string,
): Promise<Pick<Client, 'disabled' | 'sessionMaxAge'> | undefined> {
  const found = await findHost(trx, host)
  const site = found && (await lockClient(trx, found.clientId, 'shared'))
  // Before it was locked, the host may have become that of another site.
  return site?.hosts?.includes(host) ? site : undefined
}

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
