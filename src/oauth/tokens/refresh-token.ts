import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { markCodeNeededUntil } from '../authorizations/code-store.ts'
import {
  accessTokenEnd,
  authorizationKeptUntil,
  familyEnd,
  mayRefresh,
  refreshEnd,
  refreshTokenEnd,
} from '../authorizations/lifetimes.ts'
import { revokeReusedAuthorization } from '../authorizations/revoke-authorizations.ts'
import { type GrantRequest, requireGrantType } from '../clients/authenticate-client.ts'
import type { KnownClient } from '../clients/client.ts'
import { fallsShort, isTooOld } from '../clients/demands.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import { includesAll, parseScope, scopeError } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { idTokenClaims } from './id-token.ts'
import { type TokenAnswer, issueTokens } from './issue-tokens.ts'
import { findSession, sessionClaims, useSession } from './session-claims.ts'
import { tokenErrors } from './token-errors.ts'
import {
  type RefreshToken,
  findRefreshToken,
  markRefreshTokenNeededUntil,
  markRefreshTokenUsed,
} from './token-store.ts'

/** RFC 6749 section 6, with rotation (RFC 9700 section 4.14.2). */
export async function exchangeRefreshToken(provider: Provider, request: GrantRequest): Promise<TokenAnswer> {
  const { client, form } = request
  const { db, now } = provider
  const given = form['refresh_token']
  const hash = digest(given ?? '')
  const found = given === undefined ? undefined : await findRefreshToken(db.read, hash, now())
  const token = found?.clientId === client.client_id ? found : undefined
  // Checked before the other parameters: a malformed request with a reused token revokes the family too.
  if (token && isReused(token, now())) return revokeFamily(provider, request, token)
  requireGrantType(client, 'refresh_token')
  if (given === undefined) throw protocolErrors.parameter_missing({ name: 'refresh_token' })
  if (!token || !isUnexpired(token, now())) return refuseToken()
  if (fallsShort(client, token)) throw tokenErrors.sign_in_too_weak()
  // Stored in whole seconds, so it may have been almost one later.
  if (isTooOld(client, token.authTime * 1000 + 999, now())) throw tokenErrors.sign_in_too_old()
  const scope = narrowedScope(token, client.scopes, form['scope'])
  const session = await findSession(provider, client, token)

  const [use, answer] = await Promise.all([
    token.usedAt === null ? markRefreshTokenUsed(db, token, now()) : NOT_MARKED,
    issueTokens(provider, {
      ...token,
      client,
      scope,
      nonce: null,
      session: sessionClaims(client, session),
      about: idTokenClaims(token, client, scope, provider.config.baseUrl),
      alg: client.id_token_signed_response_alg,
      // A refresh may ask for less this time; what it may ask for next time stays (RFC 6749 section 6).
      refresh: { scope: token.scope, parentHash: hash },
    }),
    keepAuthorization(provider, client, token),
    session && client.refreshTokens === 'session' && useSession(provider, session),
  ])
  if (use.used && (use.marked || token.parentHash === null)) return answer

  // A concurrent request used this token, or a sibling of it, first.
  const after = await findRefreshToken(db.read, hash, now())
  if (!after) return refuseToken()
  const siblingInUse = use.used && after.parentSuccessorUsedAt !== null
  if (siblingInUse || isReused(after, now())) return revokeFamily(provider, request, after)
  const until = refreshTokenEnd(refreshEnd(token), now(), client)
  await db.transaction((trx) => markRefreshTokenNeededUntil(trx, hash, until))
  return answer
}

const NOT_MARKED = { used: false, marked: false }

const refuseToken = () => refuse(tokenErrors.refresh_token_unusable())

async function keepAuthorization({ db, now }: Provider, client: KnownClient, token: RefreshToken): Promise<void> {
  const end = familyEnd(token.authorizedAt, token.clientId)
  const neededUntil = Math.max(refreshTokenEnd(refreshEnd(token), now(), client), accessTokenEnd(end, now(), client))
  if (token.keptUntil < neededUntil)
    await db.transaction((trx) => markCodeNeededUntil(trx, token.codeHash, authorizationKeptUntil(end, now())))
}

async function revokeFamily(provider: Provider, request: GrantRequest, token: RefreshToken): Promise<never> {
  const { codeHash, userId, clientId } = token
  const reuse = { codeHash, userId, clientId, source: request.source() }
  await revokeReusedAuthorization(provider, { action: 'oauth_refresh_token.reused', ...reuse })
  return refuseToken()
}

/** The granted scopes that the client is still allowed; fewer if the request names fewer, never more. */
function narrowedScope(token: RefreshToken, allowed: string[], requested: string | undefined): string {
  const granted = token.scope.split(' ').filter((scope) => allowed.includes(scope))
  if (requested === undefined) return granted.join(' ')
  const scopes = parseScope(requested)
  if (scopes === undefined || !includesAll(granted, scopes))
    throw scopeError(tokenErrors.scope_not_approved(), {
      requested,
      allowed: granted,
      hint: 'Let the application ask for no more scopes than when the person signed in, or let the person sign in again.',
    })
  return scopes.join(' ')
}

/** How long a used token may be sent again: the answer may have been lost, or two tabs refresh at the same time. */
const RETRY_MS = 10_000

/**
 * Whether using the token now shows that two parties hold tokens of its family.
 *
 * A retry gets a sibling of the successor whose answer may have been lost. Only one sibling may be used: a use of another
 * one, or of their parent, after that is a reuse. When the clock was set back by more than the time for a retry, a second
 * use is a reuse too.
 */
function isReused({ usedAt, successorUsedAt, parentSuccessorUsedAt }: RefreshToken, now: number): boolean {
  if (usedAt === null) return parentSuccessorUsedAt !== null
  return successorUsedAt !== null || Math.abs(now - usedAt) > RETRY_MS
}

const isUnexpired = (token: RefreshToken, now: number): boolean => token.expiresAt > now && mayRefresh(token, now)

/** Whether a use of the token would be its first, and would be accepted. */
export const isUsable = (token: RefreshToken, now: number): boolean =>
  token.usedAt === null && !isReused(token, now) && isUnexpired(token, now)
