import { issueToken } from '../../crypto/token.ts'
import type { Services } from '../../services.ts'
import type { SignedIn } from '../../sessions/session.ts'
import type { Trx } from '../../storage/database.ts'
import { refuseUnconfirmed } from '../../users/allowed-email.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { CODE_MS } from '../tokens/lifetimes.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { packClaims } from './claims-request.ts'
import { addCode } from './code-store.ts'

/** Values of acr: `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
const ACR = { passkey: 'phr', password: '1' } as const

export const acrOf = ({ method }: Pick<SignedIn, 'method'>): string => ACR[method]

/** Issues an authorization code; nothing else does. Returns the URL for the browser (RFC 6749 4.1.2, RFC 9207). */
export async function issueCode(
  { config, now, random }: Pick<Services, 'config' | 'now' | 'random'>,
  trx: Trx,
  request: AuthorizationRequest,
  signedIn: SignedIn,
): Promise<string> {
  await refuseUnconfirmed(trx, config, signedIn.user.id)
  const code = issueToken(random, 'ac_')
  const at = now()
  await addCode(trx, {
    code_hash: code.hash,
    user_id: signedIn.user.id,
    client_id: request.client.client_id,
    redirect_uri: request.redirectUri,
    code_challenge: request.codeChallenge,
    scope: request.scopes.join(' '),
    nonce: request.nonce ?? null,
    claims: packClaims(request.claims),
    auth_time: Math.floor(signedIn.session.createdAt / 1000),
    acr: acrOf(signedIn),
    amr: signedIn.amr.join(' '),
    created_at: at,
    expires_at: at + CODE_MS,
  })
  return withQuery(request.redirectUri, { code: code.plaintext, state: request.state, iss: request.issuer })
}
