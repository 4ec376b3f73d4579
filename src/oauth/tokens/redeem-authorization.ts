import { consumeCode, type FoundCode } from '../authorize/code-store.ts'
import { issuesRefreshToken, type KnownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { idTokenClaims } from './id-token.ts'
import { issueTokens, type TokenAnswer } from './issue-tokens.ts'
import { accessTokenEnd, authorizationKeptUntil, familyEnd } from './lifetimes.ts'

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
  const end = familyEnd(authorizedAt, client.client_id)
  const withRefresh = issuesRefreshToken(client, scope)
  const keptUntil = withRefresh ? authorizationKeptUntil(end, now()) : accessTokenEnd(end, now())
  const [isFirst, answer] = await Promise.all([
    consumeCode(db, codeHash, now(), keptUntil),
    issueTokens(provider, {
      ...found,
      codeHash,
      about: idTokenClaims(found, client, scope, config.baseUrl),
      alg: client.id_token_signed_response_alg,
      refresh: withRefresh ? { scope, parentHash: null } : undefined,
    }),
  ])
  return isFirst ? answer : undefined
}
