import { notify } from '../../identity/notifications/notify.ts'
import { lockPermission } from '../../identity/roles/role-store.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { mustConfirm, refuseToGiveAccess } from '../../identity/users/email-address.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import type { Trx } from '../../storage/database.ts'
import { acrOf } from '../../vocabulary/sign-in-methods.ts'
import { addCode } from '../authorizations/code-store.ts'
import { addToGrant, lockClientWithGrant } from '../authorizations/grant-store.ts'
import { CODE_MS } from '../authorizations/lifetimes.ts'
import { packClaims } from '../claims/claims-request.ts'
import { clientErrors } from '../clients/client-errors.ts'
import { noteClientSession } from '../clients/client-session-store.ts'
import { getsSid } from '../clients/client-session.ts'
import { trialUri } from '../clients/redirect-uri.ts'
import { markGrantUntold } from '../logout/logout-store.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors, consentErrors } from './authorization-errors.ts'
import { type AuthorizationRequest, type NextStep, RedirectedError, respond } from './authorization-request.ts'
import { answeredUntil, markAnswered } from './pending-request.ts'
import { recheckClient } from './read-authorization-request.ts'
import { type AuthorizationAttempt, pageFor, reasonToSignIn } from './sign-in-reason.ts'

/** Adds what the request asks for to the user's grant, and issues the code, or does neither. */
export const grantAndIssue = (
  provider: Provider,
  attempt: AuthorizationAttempt,
  signedIn: SignedIn,
  actor: SignedInActor,
): Promise<NextStep> =>
  changeOwnAccount(provider, actor, async (trx) => {
    const { request, pending } = attempt
    const [{ client, mayUse }, isUnconfirmed] = await Promise.all([
      lockClientWithGrant(trx, request.client.client_id, actor.id),
      mustConfirm(trx, provider.config, actor.id),
    ])
    const present = recheckClient(provider, request, client)
    if (!mayUse) throw clientErrors.application_not_for_you()
    const current = { request: present, pending }
    const reason = await reasonToSignIn(provider, trx, current, signedIn)
    if (reason && reason.why !== 'too_old') return { redirectTo: pageFor(provider, current, signedIn, reason) }
    await addConsent(provider, trx, request, actor)
    // The decision took longer than allowed. It is kept, so that the user need not consent again.
    if (reason) return { redirectTo: pageFor(provider, current, signedIn, reason, signedIn.user.id) }
    if (pending && !(await markAnswered(trx, answeredUntil(pending)))) throw consentErrors.request_answered()
    return issueCode(provider, trx, present, { ...signedIn, mustConfirm: isUnconfirmed, isTold: false })
  })

/** What an application is told about a user who may not use it, and its administrators about the reason. */
export const notAllowed = (request: AuthorizationRequest): RedirectedError =>
  new RedirectedError(request, 'access_denied', authorizationErrors.user_may_not_use_application(), {
    hint: 'Give this person one of the roles that may use the application, or add a role to them.',
  })

async function addConsent(
  provider: Provider,
  trx: Trx,
  request: AuthorizationRequest,
  actor: SignedInActor,
): Promise<void> {
  const { client_id: clientId, name } = request.client
  const { id: userId } = actor
  const added = await addToGrant(trx, {
    userId,
    clientId,
    scopes: request.consentScopes,
    at: provider.now(),
    isTrial: isTrial(provider, request),
  })
  if (added.length === 0) return
  await recordEvent(provider, trx, {
    action: 'oauth_grant.added',
    outcome: 'success',
    actor,
    target: { type: 'oauth_client', id: clientId },
    data: { scopes: added },
  })
  await notify(provider, trx, userId, 'oauth.grant_added', { client_id: clientId, name, scopes: added })
}

/** Issues an authorization code; nothing else does. Returns how the browser brings it to the application. */
export async function issueCode(
  { config, now, random, pkceUses }: Pick<Provider, 'config' | 'now' | 'random' | 'pkceUses'>,
  trx: Trx,
  request: AuthorizationRequest,
  signedIn: SignedIn & { mustConfirm: boolean; isTold: boolean },
): Promise<NextStep> {
  if (signedIn.mustConfirm) refuseToGiveAccess()
  const { client_id: clientId } = request.client
  // The application gets nothing of a trial, and is not told when that ends.
  const sessionId = isTrial({ config }, request) ? null : signedIn.session.id
  if (sessionId === null) await checkTrial(trx, request, signedIn)
  const code = issueToken(random, 'ac_')
  const at = now()
  addCode(trx, {
    code_hash: code.hash,
    user_id: signedIn.user.id,
    client_id: clientId,
    client_generation: request.client.generation,
    redirect_uri: request.redirectUri,
    // Empty without PKCE: no verifier has this digest.
    code_challenge: request.codeChallenge ?? '',
    scope: request.scopes.join(' '),
    nonce: request.nonce ?? null,
    claims: packClaims(request.claims),
    auth_time: Math.floor(signedIn.session.authTime / 1000),
    acr: acrOf(signedIn),
    amr: signedIn.amr.join(' '),
    verified: signedIn.verified ? 1 : 0,
    session_id: sessionId,
    created_at: at,
    expires_at: at + CODE_MS,
  })
  if (sessionId !== null && signedIn.isTold) markGrantUntold.next(trx, { userId: signedIn.user.id, clientId })
  if (sessionId !== null && getsSid(request.client)) noteClientSession(trx, { sessionId, clientId }, at)
  if (request.client.pkce === 'optional') {
    const use = request.codeChallenge === undefined ? 'missing' : 'sent'
    trx.afterCommit(() => pkceUses.note(clientId, use))
  }
  return respond(request, { code: code.plaintext })
}

const isTrial = ({ config }: Pick<Provider, 'config'>, { client, redirectUri }: AuthorizationRequest): boolean =>
  redirectUri === trialUri(config, client.client_id)

/** Anybody's link can lead to the page of a trial. Only those who may see the settings of the client get a code there. */
async function checkTrial(trx: Trx, request: AuthorizationRequest, { user }: SignedIn): Promise<void> {
  if (await lockPermission(trx, user.id, 'oauth_clients:read')) return
  throw new RedirectedError(request, 'access_denied', authorizationErrors.trial_needs_permission())
}
