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
import { type AuthorizationRequest, checkAgain, RedirectedRefusal } from './authorization-request.ts'
import { readAsked } from './continue-authorization.ts'
import { issueCode } from './issue-code.ts'
import { reasonToSignIn, whereToSignIn } from './sign-in-need.ts'

interface Decision {
  given: ReadParameters
  approve: boolean
  who: SignedIn
  actor: SignedInActor
}

/** Records what the user decided on the consent page, and answers where the browser goes next. */
export async function approve(provider: Provider, { given, approve, who, actor }: Decision): Promise<string> {
  const asked = await readAsked(provider, given)
  const { request, pending } = asked
  if (!approve) return new RedirectedRefusal(request, 'access_denied', 'The user said no.').redirectTo
  const reason = reasonToSignIn(provider, asked, who)
  if (reason === 'nobody' || reason === 'asked') return whereToSignIn(provider, asked, who)

  return changeOwnAccount(provider, actor, async (trx) => {
    checkAgain(request, await holdClient(trx, request.client.client_id, 'shared'))
    await addConsent(provider, trx, request, actor)
    // Reading the page took longer than `max_age` allows. What was decided stays, so that it is asked once.
    if (reason === 'age') return whereToSignIn(provider, asked, who, who.user.id)
    if (pending && !(await markAnswered(trx, pending))) return refuse('conflict', 'This request was answered already.')
    return issueCode(provider, trx, request, who)
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
