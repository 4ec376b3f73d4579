import { issueToken } from '../../crypto/token.ts'
import type { Provider } from '../provider.ts'
import { hasScope } from '../scope.ts'
import type { Authentication } from './id-token.ts'
import { issueIdToken } from './id-token.ts'
import { accessTokenEnd, clientTokenEnd, refreshTokenEnd } from './lifetimes.ts'
import { addAccessToken, addRefreshToken } from './token-store.ts'

/** RFC 6749 section 5.1. */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token?: string
  id_token?: string
  scope: string
}

/** What tokens are issued on: an authorization of a user's. */
export interface Basis extends Authentication {
  codeHash: string
  /** When it was given: the family of its tokens ends a fixed time after that. */
  authorizedAt: number
  scope: string
  nonce: string | null
  /** Claims of the user that go into the ID token, asked for by name. */
  named: Record<string, unknown>
  /** Set when a refresh token goes with it: the scope that stays granted, and the token it follows. */
  refresh: { scope: string; parentHash: string | null } | undefined
}

/**
 * The one place that issues tokens to a user's application. The tokens reach nobody unless the caller has also used up
 * what they are exchanged for.
 */
export async function issueTokens(provider: Provider, basis: Basis): Promise<TokenAnswer> {
  const { db, now, random, dailyCounts } = provider
  const { codeHash, clientId, scope, refresh, authorizedAt } = basis
  const issuedAt = now()
  const expiresAt = accessTokenEnd(authorizedAt, issuedAt)
  const access = issueToken(random, 'at_')
  const next = refresh && { ...refresh, token: issueToken(random, 'rt_') }
  const idToken = hasScope(scope, 'openid')
    ? issueIdToken(provider, basis, access.plaintext, { nonce: basis.nonce, named: basis.named })
    : undefined
  await Promise.all([
    addAccessToken(db, { hash: access.hash, codeHash, clientId, scope, issuedAt, expiresAt }),
    next &&
      addRefreshToken(db, {
        hash: next.token.hash,
        codeHash,
        parentHash: next.parentHash,
        scope: next.scope,
        issuedAt,
        expiresAt: refreshTokenEnd(authorizedAt, issuedAt),
      }),
  ])
  dailyCounts.add('access_tokens')
  const answer: TokenAnswer = {
    access_token: access.plaintext,
    token_type: 'Bearer',
    expires_in: Math.floor((expiresAt - issuedAt) / 1000),
    scope,
  }
  if (next) answer.refresh_token = next.token.plaintext
  if (idToken !== undefined) answer.id_token = idToken
  return answer
}

/** For a client that acts for itself: no user, nothing to refresh, nobody to identify (RFC 6749 section 4.4.3). */
export async function issueClientToken(
  { db, now, random, dailyCounts }: Pick<Provider, 'db' | 'now' | 'random' | 'dailyCounts'>,
  clientId: string,
  scope: string,
): Promise<TokenAnswer> {
  const issuedAt = now()
  const expiresAt = clientTokenEnd(issuedAt)
  const { plaintext, hash } = issueToken(random, 'at_')
  await addAccessToken(db, { hash, codeHash: null, clientId, scope, issuedAt, expiresAt })
  dailyCounts.add('access_tokens')
  return { access_token: plaintext, token_type: 'Bearer', expires_in: (expiresAt - issuedAt) / 1000, scope }
}
