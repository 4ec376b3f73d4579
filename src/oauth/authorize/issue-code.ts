import { issueToken } from '../../crypto/token.ts'
import type { Services } from '../../services.ts'
import type { SignedIn } from '../../sessions/session.ts'
import type { Trx } from '../../storage/database.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { CODE_MS } from '../tokens/lifetimes.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { packClaims } from './claims-request.ts'
import { addCode } from './code-store.ts'

/** How sure we are who it is: `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
const ACR = { passkey: 'phr', password: '1' } as const

export const acrOf = ({ method }: Pick<SignedIn, 'method'>): string => ACR[method]

/** The one place that issues authorization codes. Answers where the browser takes it (RFC 6749 4.1.2, RFC 9207). */
export async function issueCode(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  request: AuthorizationRequest,
  who: SignedIn,
): Promise<string> {
  const code = issueToken(random, 'ac_')
  const at = now()
  await addCode(trx, {
    code_hash: code.hash,
    user_id: who.user.id,
    client_id: request.client.client_id,
    redirect_uri: request.redirectUri,
    code_challenge: request.codeChallenge,
    scope: request.scopes.join(' '),
    nonce: request.nonce ?? null,
    claims: packClaims(request.claims),
    auth_time: Math.floor(who.session.createdAt / 1000),
    acr: acrOf(who),
    amr: who.amr.join(' '),
    created_at: at,
    expires_at: at + CODE_MS,
  })
  return withQuery(request.redirectUri, { code: code.plaintext, state: request.state, iss: request.issuer })
}
