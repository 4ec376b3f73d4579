import { lockPermission } from '../../identity/access/role-store.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { refuseToGiveAccess } from '../../identity/users/allowed-email.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import type { Trx } from '../../storage/database.ts'
import { packClaims } from '../claims/claims-request.ts'
import type { Provider } from '../provider.ts'
import { CODE_MS } from '../tokens/lifetimes.ts'
import { trialUri } from '../trial/trial-uri.ts'
import { type AuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { type NextStep, respond } from './authorization-response.ts'
import { addCode } from './code-store.ts'

/** Values of acr: `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
const ACR = { passkey: 'phr', password: '1' } as const

export const acrOf = ({ method }: Pick<SignedIn, 'method'>): string => ACR[method]

/** Issues an authorization code; nothing else does. Returns how the browser brings it to the application. */
export async function issueCode(
  { config, now, random, pkceUses }: Pick<Provider, 'config' | 'now' | 'random' | 'pkceUses'>,
  trx: Trx,
  request: AuthorizationRequest,
  signedIn: SignedIn & { mustConfirm: boolean },
): Promise<NextStep> {
  if (signedIn.mustConfirm) refuseToGiveAccess()
  if (request.redirectUri === trialUri(config, request.client.client_id)) await checkTrial(trx, request, signedIn)
  const code = issueToken(random, 'ac_')
  const at = now()
  addCode(trx, {
    code_hash: code.hash,
    user_id: signedIn.user.id,
    client_id: request.client.client_id,
    client_generation: request.client.generation,
    redirect_uri: request.redirectUri,
    // Empty without PKCE: no verifier has this digest.
    code_challenge: request.codeChallenge ?? '',
    scope: request.scopes.join(' '),
    nonce: request.nonce ?? null,
    claims: packClaims(request.claims),
    auth_time: Math.floor(signedIn.session.createdAt / 1000),
    acr: acrOf(signedIn),
    amr: signedIn.amr.join(' '),
    created_at: at,
    expires_at: at + CODE_MS,
  })
  if (request.client.pkce === 'optional') {
    const use = request.codeChallenge === undefined ? 'missing' : 'sent'
    trx.afterCommit(() => pkceUses.note(request.client.client_id, use))
  }
  return respond(request, { code: code.plaintext })
}

/** Only for those who may see the settings of the client. */
async function checkTrial(trx: Trx, request: AuthorizationRequest, { user }: SignedIn): Promise<void> {
  if (await lockPermission(trx, user.id, 'oauth_clients:read')) return
  throw new RedirectedRefusal(request, 'access_denied', 'Trying a sign-in needs the permission oauth_clients:read.')
}
