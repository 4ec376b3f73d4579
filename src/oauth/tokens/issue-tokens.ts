import { issueToken } from '../../platform/crypto/digest.ts'
import type { SigningAlgorithm } from '../../platform/keys/signing-keys.ts'
import { type FoundCode, consumeCode } from '../authorizations/code-store.ts'
import {
  accessTokenEnd,
  authorizationKeptUntil,
  clientTokenEnd,
  familyEnd,
  mayRefresh,
  refreshEnd,
  refreshTokenEnd,
} from '../authorizations/lifetimes.ts'
import { type KnownClient, issuesRefreshToken } from '../clients/client.ts'
import { fallsShort } from '../clients/demands.ts'
import { hasScope } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { type Authentication, idTokenClaims, issueIdToken } from './id-token.ts'
import { type SessionClaims, findSession, sessionClaims } from './session-claims.ts'
import { tokenErrors } from './token-errors.ts'
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

/** A user's authorization, and what to issue for it. */
export interface IssueTokensRequest extends Authentication {
  client: KnownClient
  codeHash: string
  clientGeneration: number
  /** When the user authorized: all its tokens end a fixed time after that. */
  authorizedAt: number
  scope: string
  nonce: string | null
  session: SessionClaims
  /** Claims about the user for the ID token, and what signs it. */
  about: Record<string, unknown>
  alg: SigningAlgorithm
  /** Set when a refresh token is issued too: its scope, and the token that it replaces. */
  refresh: { scope: string; parentHash: string | null } | undefined
}

/**
 * Issues tokens on a user's authorization; nothing else does. The caller must not return them unless it has marked the
 * code or refresh token that they are exchanged for as used.
 */
export async function issueTokens(provider: Provider, request: IssueTokensRequest): Promise<TokenAnswer> {
  const { db, now, random, dailyCounts } = provider
  const { client, codeHash, clientId, clientGeneration, scope, refresh, authorizedAt } = request
  const issuedAt = now()
  const expiresAt = accessTokenEnd(familyEnd(authorizedAt, clientId), issuedAt, client)
  const access = issueToken(random, 'at_')
  const next = refresh && { ...refresh, token: issueToken(random, 'rt_') }
  // Another replica may have made the first RSA key a moment ago.
  if (!provider.signingKeys.algorithms().includes(request.alg)) await provider.signingKeys.reload()
  const idToken = hasScope(scope, 'openid') ? issueIdToken(provider, request, access.plaintext, request) : undefined
  await Promise.all([
    addAccessToken(db, { hash: access.hash, codeHash, clientId, clientGeneration, scope, issuedAt, expiresAt }),
    next &&
      addRefreshToken(db, {
        hash: next.token.hash,
        codeHash,
        parentHash: next.parentHash,
        scope: next.scope,
        issuedAt,
        expiresAt: refreshTokenEnd(refreshEnd({ ...client, authorizedAt, clientId }), issuedAt, client),
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

/** For a client that acts for itself: without a refresh token or an ID token (RFC 6749 section 4.4.3). */
export async function issueClientToken(
  { db, now, random, dailyCounts }: Pick<Provider, 'db' | 'now' | 'random' | 'dailyCounts'>,
  client: KnownClient,
  scope: string,
): Promise<TokenAnswer> {
  const issuedAt = now()
  const { client_id: clientId, generation: clientGeneration } = client
  const expiresAt = clientTokenEnd(issuedAt, client)
  const { plaintext, hash } = issueToken(random, 'at_')
  await addAccessToken(db, { hash, codeHash: null, clientId, clientGeneration, scope, issuedAt, expiresAt })
  dailyCounts.add('access_tokens')
  return { access_token: plaintext, token_type: 'Bearer', expires_in: (expiresAt - issuedAt) / 1000, scope }
}

/**
 * Issues the first tokens of an authorization, once. Undefined when another request has redeemed it. Tokens that
 * were added although another one was first are given to nobody. The exchange of a code then revokes the authorization; that of a
 * device code only refuses, because a device may poll twice at once.
 */
export async function redeemAuthorization(
  provider: Provider,
  client: KnownClient,
  { codeHash, ...found }: FoundCode & { codeHash: string },
): Promise<TokenAnswer | undefined> {
  const { db, now, config } = provider
  const { authorizedAt, scope } = found
  if (fallsShort(client, found)) throw tokenErrors.sign_in_too_weak()
  const session = await findSession(provider, client, found)
  const end = familyEnd(authorizedAt, client.client_id)
  const withRefresh = issuesRefreshToken(client, scope) && mayRefresh({ ...client, ...found }, now())
  const keptUntil = withRefresh ? authorizationKeptUntil(end, now()) : accessTokenEnd(end, now(), client)
  const [isFirst, answer] = await Promise.all([
    consumeCode(db, codeHash, now(), keptUntil),
    issueTokens(provider, {
      ...found,
      client,
      codeHash,
      session: sessionClaims(client, session),
      about: idTokenClaims(found, client, scope, config.baseUrl),
      alg: client.id_token_signed_response_alg,
      refresh: withRefresh ? { scope, parentHash: null } : undefined,
    }),
  ])
  return isFirst ? answer : undefined
}
