import { digest } from '../../crypto/digest.ts'
import { refuse } from '../../errors.ts'
import { mayOmitPkce } from '../authorize/authorization-checks.ts'
import { findCode } from '../authorize/code-store.ts'
import { verifierMatches } from '../pkce.ts'
import type { Provider } from '../provider.ts'
import { DiagnosedError, withoutQuery } from '../refusals/client-refusal.ts'
import { type GrantRequest, requireGrantType } from './grant-request.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { latestIssueTime } from './lifetimes.ts'
import { redeemAuthorization } from './redeem-authorization.ts'
import { revokeReusedAuthorization } from './revoke-authorization.ts'

/** RFC 6749 section 4.1.3 with RFC 7636 section 4.5. */
export async function exchangeCode(provider: Provider, request: GrantRequest): Promise<TokenAnswer> {
  const { client, form } = request
  requireGrantType(client, 'authorization_code')
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = form
  if (code === undefined) return refuse('invalid_request', 'The parameter code is missing.')
  if (redirectUri === undefined) return refuse('invalid_request', 'The parameter redirect_uri is missing.')
  const needsVerifier = !mayOmitPkce(provider.config, client)
  if (verifier === undefined && needsVerifier)
    return refuse('invalid_request', 'The parameter code_verifier is missing.')

  const { db, now } = provider
  const codeHash = digest(code)
  const found = await findCode(db.read, codeHash)
  // The answer is the same for a code that is unknown, of another client, or revoked.
  if (!found || found.clientId !== client.client_id || found.revokedAt !== null) return refuseCode()
  if (found.redirectUri !== redirectUri)
    throw new DiagnosedError('invalid_grant', 'The redirect_uri is not that of the request.', {
      hint: 'Let the application send the same redirect URL here as when it asked for the code.',
      sent: withoutQuery(redirectUri),
      expected: withoutQuery(found.redirectUri),
    })
  // A code that was issued without PKCE takes no verifier either: somebody else may have asked for it (RFC 9700 section 2.1.1).
  const isWithoutPkce = found.challenge === '' && verifier === undefined
  if (!isWithoutPkce && !verifierMatches(verifier ?? '', found.challenge))
    return refuse('invalid_grant', 'The code_verifier does not match the code_challenge.')
  if (found.consumedAt !== null) {
    if (await provider.redemptions.isReuse(codeHash, request.started, found.consumedAt)) {
      const { userId, clientId } = found
      const reuse = { codeHash, userId, clientId, source: request.source() }
      await revokeReusedAuthorization(provider, { action: 'oauth_code.reused', ...reuse })
    }
    return refuseCode()
  }
  const { authorizedAt } = found
  if (found.expiresAt <= now() || authorizedAt > latestIssueTime(now())) return refuseCode()

  const answer = await redeemAuthorization(provider, client, { ...found, codeHash })
  // This request found the code unused, so it is concurrent with the one that redeemed it, which keeps its tokens.
  if (!answer) {
    provider.redemptions.noteConcurrent(codeHash)
    return refuseCode()
  }
  provider.redemptions.noteRedeemed(codeHash)
  return answer
}

const refuseCode = () => refuse('invalid_grant', 'The code is unknown, expired or used.')
