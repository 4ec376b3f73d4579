import { recordEvent } from '../../audit/record-event.ts'
import { digest } from '../../crypto/digest.ts'
import { refuse } from '../../errors.ts'
import { markNeededUntil, markRevoked } from '../code-store.ts'
import type { GrantRequest } from '../grant-request.ts'
import { namedClaims } from '../id-token.ts'
import { isKeptFor, issueTokens, neededUntil, type TokenAnswer } from '../issue-tokens.ts'
import type { Provider } from '../provider.ts'
import { includesAll, parseScope } from '../scope.ts'
import { findRefreshToken, markRefreshTokenUsed, type RefreshToken } from '../token-store.ts'

/** How long a used token may come again: an answer that was lost, two tabs that refresh at once. */
const RETRY_MS = 10_000

/** RFC 6749 section 6, with rotation as RFC 9700 section 4.14.2 wants it. */
export async function exchangeRefreshToken(provider: Provider, asked: GrantRequest): Promise<TokenAnswer> {
  const { client, form } = asked
  const { db, now } = provider
  if (form['refresh_token'] === undefined) return refuse('invalid_request', 'The parameter refresh_token is missing.')
  const hash = digest(form['refresh_token'])
  const token = await findRefreshToken(db, hash, now())
  if (!token || token.clientId !== client.client_id) return refuseToken()
  const scope = narrowedScope(token, client.scopes, form['scope'])
  if (isReused(token, now())) return revokeFamily(provider, asked, token)

  const [isFirst, answer] = await Promise.all([
    token.usedAt === null && markRefreshTokenUsed(db, token, now()),
    issueTokens(provider, {
      ...token,
      scope,
      nonce: null,
      named: namedClaims(token, provider.config.baseUrl),
      // A refresh may ask for less this time; what it may ask for next time stays (RFC 6749 section 6).
      refresh: { scope: token.scope, parentHash: hash },
    }),
    isKeptFor(token.keptUntil, now()) ? undefined : markNeededUntil(db, token.codeHash, neededUntil(now(), true)),
  ])
  if (isFirst) return answer
  // Others were quicker. If theirs was this same moment's doing, these tokens are the retry's.
  const after = await findRefreshToken(db, hash, now())
  if (!after) return refuseToken()
  return isReused(after, now()) ? revokeFamily(provider, asked, after) : answer
}

const refuseToken = () => refuse('invalid_grant', 'The refresh token is unknown, expired or revoked.')

/** Once its successor is in use, or the time for a retry is over, a used token is in the wrong hands. */
const isReused = ({ usedAt, successorUsedAt }: RefreshToken, now: number): boolean =>
  usedAt !== null && (successorUsedAt !== null || now - usedAt > RETRY_MS)

/** Nobody knows which of the two holders is the right one, so both lose everything that came of it. */
async function revokeFamily(provider: Provider, { client, caller }: GrantRequest, token: RefreshToken): Promise<never> {
  await provider.db.transaction().execute(async (trx) => {
    if (!(await markRevoked(trx, token.codeHash, provider.now()))) return
    await recordEvent(provider, trx, {
      action: 'oauth_refresh_token.reused',
      outcome: 'refused',
      actor: { id: token.userId, email: null, caller },
      target: { type: 'oauth_client', id: client.client_id },
    })
  })
  return refuseToken()
}

/** What was granted, as far as the client may still have it; less if less is asked, never more. */
function narrowedScope(token: RefreshToken, allowed: string[], asked: string | undefined): string {
  const granted = token.scope.split(' ').filter((scope) => allowed.includes(scope))
  if (asked === undefined) return granted.join(' ')
  const scopes = parseScope(asked)
  if (scopes === undefined || !includesAll(granted, scopes))
    return refuse('invalid_scope', 'The scope goes beyond what the user has approved.')
  return scopes.join(' ')
}
