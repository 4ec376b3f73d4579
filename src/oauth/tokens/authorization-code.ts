import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { type FoundCode, findCode } from '../authorizations/code-store.ts'
import { latestIssueTime } from '../authorizations/lifetimes.ts'
import { revokeReusedAuthorization } from '../authorizations/revoke-authorizations.ts'
import { type GrantRequest, requireGrantType } from '../clients/authenticate-client.ts'
import { DiagnosedError, withoutQuery } from '../problems/diagnosed-error.ts'
import { MISSING_VERIFIER, mayOmitPkce, verifierError, verifierMatches } from '../protocol/pkce.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { type TokenAnswer, redeemAuthorization } from './issue-tokens.ts'
import { tokenErrors } from './token-errors.ts'

/** RFC 6749 section 4.1.3 with RFC 7636 section 4.5. */
export async function exchangeCode(provider: Provider, request: GrantRequest): Promise<TokenAnswer> {
  const { client, form } = request
  requireGrantType(client, 'authorization_code')
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = form
  if (code === undefined) throw protocolErrors.parameter_missing({ name: 'code' })
  if (redirectUri === undefined) throw protocolErrors.parameter_missing({ name: 'redirect_uri' })
  // Without a code_challenge this client would have got no code.
  if (verifier === undefined && !mayOmitPkce(provider.config, client))
    throw new DiagnosedError(protocolErrors.parameter_missing({ name: 'code_verifier' }), MISSING_VERIFIER)

  const { db, now } = provider
  const codeHash = digest(code)
  const found = await findCode(db.read, codeHash, now())
  // The answer is the same for a code that is unknown, of another client, or revoked before it was used.
  if (!found || found.clientId !== client.client_id) return refuseCode()
  if (found.revokedAt !== null && found.consumedAt === null) return refuseCode()
  if (found.redirectUri !== redirectUri)
    throw new DiagnosedError(tokenErrors.code_of_other_redirect_uri(), {
      hint: 'Let the application send the same redirect URL here as when it asked for the code.',
      sent: withoutQuery(redirectUri),
      expected: withoutQuery(found.redirectUri),
    })
  // A code that was issued without PKCE takes no verifier either: somebody else may have asked for it (RFC 9700 section 2.1.1).
  const isWithoutPkce = found.challenge === '' && verifier === undefined
  if (!isWithoutPkce && !verifierMatches(verifier ?? '', found.challenge))
    throw verifierError(verifier, found.challenge)
  if (found.consumedAt !== null) return refuseReuse(provider, request, found, codeHash)
  const { authorizedAt } = found
  if (found.expiresAt <= now() || authorizedAt > latestIssueTime(now())) return refuseCode()
  // Marking the code as used and this answer are one: of any number of requests at once, on all replicas, one gets it.
  return (
    (await redeemAuthorization(provider, client, { ...found, codeHash })) ??
    refuseReuse(provider, request, found, codeHash)
  )
}

/**
 * A code that is used a second time, at once or later, is in the hands of two parties or of an application that sends it
 * twice. It revokes what it issued (RFC 6749 section 4.1.2), before this request is answered.
 */
async function refuseReuse(
  provider: Provider,
  request: GrantRequest,
  { userId, clientId }: Pick<FoundCode, 'userId' | 'clientId'>,
  codeHash: string,
): Promise<never> {
  const reuse = { codeHash, userId, clientId, source: request.source() }
  await revokeReusedAuthorization(provider, { action: 'oauth_code.reused', ...reuse })
  throw new DiagnosedError(tokenErrors.code_unusable(), {
    hint: 'The application sends the same code twice, and a second use also ends the tokens of the first. Let it send each code once, without a retry.',
    sent: 'a code that was used before',
    expected: 'a code that is used once',
  })
}

const refuseCode = () => refuse(tokenErrors.code_unusable())
