import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { notify } from '../notifications/notify.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isMissingReference } from '../storage/failure.ts'
import type { Trx } from '../storage/schema.ts'
import { RedirectedRefusal } from './authorization-request.ts'
import { type Asked, readAsked, whereToSignIn } from './continue-authorization.ts'
import { addToGrant } from './grant-store.ts'
import { issueCode } from './issue-code.ts'
import type { ReadParameters } from './parameters.ts'
import { consumePendingRequest } from './pending-request-store.ts'
import type { Provider } from './provider.ts'

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
  if (!approve) {
    if (pending) await changeOwnAccount(provider, actor, (trx) => consumePendingRequest(trx, pending.id))
    return new RedirectedRefusal(request, 'access_denied', 'The user said no.').redirectTo
  }
  const login = await whereToSignIn(provider, asked, who)
  if (login !== undefined) return login

  try {
    return await changeOwnAccount(provider, actor, (trx) => grantAndIssue(provider, trx, asked, who, actor))
  } catch (error) {
    // While the user was deciding, the application was deleted.
    if (isMissingReference(error)) return refuse('conflict', 'The application is no longer registered.')
    throw error
  }
}

async function grantAndIssue(
  provider: Provider,
  trx: Trx,
  { request, pending }: Asked,
  who: SignedIn,
  actor: SignedInActor,
): Promise<string> {
  if (pending && !(await consumePendingRequest(trx, pending.id)))
    return refuse('conflict', 'This request was answered already.')
  const { client_id: clientId, name } = request.client
  const { id: userId } = who.user
  const added = await addToGrant(trx, { userId, clientId, scopes: request.consentScopes, at: provider.now() })
  if (added.length > 0) {
    await recordEvent(provider, trx, {
      action: 'oauth_grant.added',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { scopes: added },
    })
    await notify(provider, trx, userId, 'oauth.grant_added', { client_id: clientId, name, scopes: added })
  }
  return issueCode(provider, trx, request, who)
}
