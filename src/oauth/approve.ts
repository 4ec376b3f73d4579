import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { notify } from '../notifications/notify.ts'
import type { SignedIn } from '../sessions/session.ts'
import { RedirectedRefusal } from './authorization-request.ts'
import { readAsked, whereToSignIn } from './continue-authorization.ts'
import { addToGrant } from './grant-store.ts'
import { issueCode } from './issue-code.ts'
import type { ReadParameters } from './parameters.ts'
import { consumePendingRequest } from './pending-request-store.ts'
import type { Provider } from './provider.ts'

interface Decision {
  given: ReadParameters
  approve: boolean
  who: SignedIn
  actor: Actor
}

/** Records what the user decided on the consent page, and answers where the browser goes next. */
export async function approve(provider: Provider, { given, approve, who, actor }: Decision): Promise<string> {
  const asked = await readAsked(provider, given)
  const { request, pending } = asked
  if (!approve) {
    if (pending) await consumePendingRequest(provider.db, pending.id)
    return new RedirectedRefusal(request, 'access_denied', 'The user said no.').redirectTo
  }
  const login = await whereToSignIn(provider, asked, who)
  if (login !== undefined) return login

  const { client_id: clientId, name } = request.client
  return provider.db.transaction().execute(async (trx) => {
    if (pending && !(await consumePendingRequest(trx, pending.id)))
      return refuse('conflict', 'This request was answered already.')
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
  })
}
