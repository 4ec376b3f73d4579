import { refuse } from '../../errors.ts'
import { notify } from '../../identity/notifications/notify.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { mustConfirm } from '../../identity/users/allowed-email.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import { addToGrant, lockClientWithGrant } from '../consents/grant-store.ts'
import type { Provider } from '../provider.ts'
import { markAnswered } from './answered-request-store.ts'
import { type AuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import type { NextStep } from './authorization-response.ts'
import { issueCode } from './issue-code.ts'
import { answeredUntil } from './pending-request.ts'
import { recheckClient } from './read-authorization-request.ts'
import { type AuthorizationAttempt, reasonToSignIn, signInUrl } from './sign-in-reason.ts'

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
    if (!mayUse) refuse('not_allowed', 'You may not use this application.')
    await addConsent(provider, trx, request, actor)
    // The decision took longer than `max_age` allows. It is kept, so that the user need not consent again.
    if (reasonToSignIn(provider, attempt, signedIn) === 'too_old')
      return { redirectTo: signInUrl(provider, attempt, signedIn, signedIn.user.id) }
    if (pending && !(await markAnswered(trx, answeredUntil(pending))))
      return refuse('conflict', 'This request was answered already.')
    return issueCode(provider, trx, present, { ...signedIn, mustConfirm: isUnconfirmed })
  })

/** What an application is told about a user who may not use it, and its administrators about the reason. */
export const notAllowed = (request: AuthorizationRequest): RedirectedRefusal =>
  new RedirectedRefusal(request, 'access_denied', 'The user may not use this application.', {
    hint: 'Give this person one of the roles that may use the application, or add a role to them.',
  })

async function addConsent(
  provider: Provider,
  trx: Trx,
  { client, consentScopes }: AuthorizationRequest,
  actor: SignedInActor,
): Promise<void> {
  const { client_id: clientId, name } = client
  const { id: userId } = actor
  const added = await addToGrant(trx, { userId, clientId, scopes: consentScopes, at: provider.now() })
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
