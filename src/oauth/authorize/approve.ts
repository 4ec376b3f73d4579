import { recordEvent } from '../../audit/record-event.ts'
import { refuse } from '../../errors.ts'
import { notify } from '../../notifications/notify.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeOwnAccount } from '../../sessions/hold-actor.ts'
import type { SignedIn } from '../../sessions/session.ts'
import type { Trx } from '../../storage/database.ts'
import { holdClient } from '../clients/client-store.ts'
import { addToGrant } from '../consents/grant-store.ts'
import type { ReadParameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { markAnswered } from './answered-request-store.ts'
import { type AuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { readAttempt } from './continue-authorization.ts'
import { issueCode } from './issue-code.ts'
import { recheckClient } from './read-authorization-request.ts'
import { reasonToSignIn, signInUrl } from './sign-in-reason.ts'

interface ConsentDecision {
  given: ReadParameters
  approve: boolean
  signedIn: SignedIn
  actor: SignedInActor
}

/** Records what the user decided on the consent page, and returns where the browser goes next. */
export async function approve(
  provider: Provider,
  { given, approve, signedIn, actor }: ConsentDecision,
): Promise<string> {
  const attempt = await readAttempt(provider, given)
  const { request, pending } = attempt
  if (!approve) return new RedirectedRefusal(request, 'access_denied', 'The user said no.').redirectTo
  const reason = reasonToSignIn(provider, attempt, signedIn)
  if (reason === 'not_signed_in' || reason === 'demanded') return signInUrl(provider, attempt, signedIn)

  return changeOwnAccount(provider, actor, async (trx) => {
    recheckClient(request, await holdClient(trx, request.client.client_id, 'shared'))
    await addConsent(provider, trx, request, actor)
    // The decision took longer than `max_age` allows. It is kept, so that the user need not consent again.
    if (reason === 'too_old') return signInUrl(provider, attempt, signedIn, signedIn.user.id)
    if (pending && !(await markAnswered(trx, pending))) return refuse('conflict', 'This request was answered already.')
    return issueCode(provider, trx, request, signedIn)
  })
}

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
