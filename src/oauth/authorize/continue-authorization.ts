import { refuse } from '../../errors.ts'
import { holdActor } from '../../sessions/hold-actor.ts'
import type { SignedIn } from '../../sessions/session.ts'
import type { Reader } from '../../storage/database.ts'
import { holdClient } from '../clients/client-store.ts'
import { listGrantedScopes } from '../consents/grant-store.ts'
import { type ReadParameters, refuseOversized, refuseRepeated } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { includesAll } from '../scope.ts'
import { markAnswered } from './answered-request-store.ts'
import { checkAgain, readAuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { issueCode } from './issue-code.ts'
import { packPendingRequest, unpackPendingRequest } from './pending-request.ts'
import { type Asked, encode, reasonToSignIn, whereToSignIn } from './sign-in-need.ts'

const expired = () =>
  refuse(
    'invalid_request',
    'This sign-in has expired or was finished already. Go back to the application and start again.',
  )

/** Whether it comes in full or as we have marked it, a request is checked from its first parameter to its last. */
export async function readAsked(provider: Provider, given: ReadParameters): Promise<Asked> {
  const marked = given.values['pending_request']
  if (marked === undefined) {
    refuseOversized(given)
    return { request: await readAuthorizationRequest(provider, given), pending: undefined }
  }
  refuseRepeated(given)
  const pending = unpackPendingRequest(provider, marked) ?? expired()
  const request = await readAuthorizationRequest(provider, { values: pending.parameters, repeated: new Set() })
  return { request, pending }
}

/** Where the browser goes next: to sign in, to consent, or back to the application with a code. */
export async function continueAuthorization(
  provider: Provider,
  asked: Asked,
  who: SignedIn | undefined,
): Promise<string> {
  const reason = reasonToSignIn(provider, asked, who)
  if (reason !== undefined || !who) return whereToSignIn(provider, asked, who)

  const { request, pending } = asked
  const { client_id: clientId } = request.client
  const mustAsk = request.prompts.has('consent') && pending?.consentedBy !== who.user.id
  const isGranted = async (db: Reader) =>
    !mustAsk && includesAll(await listGrantedScopes(db, who.user.id, clientId), request.consentScopes)
  if (!(await isGranted(provider.db.read))) return whereToConsent(provider, asked)

  return provider.db.transaction(async (trx) => {
    await holdActor(trx, provider, { id: who.user.id, sessionId: who.session.id, permission: null })
    checkAgain(request, await holdClient(trx, clientId, 'shared'))
    // Whoever changes what the user has granted holds the account for themselves, so from here on it stays.
    if (!(await isGranted(trx))) return whereToConsent(provider, asked)
    if (pending && !(await markAnswered(trx, pending))) return expired()
    return issueCode(provider, trx, request, who)
  })
}

function whereToConsent(provider: Pick<Provider, 'config' | 'vault'>, { request, pending }: Asked): string {
  if (request.prompts.has('none'))
    throw new RedirectedRefusal(request, 'consent_required', 'The user has not granted this yet.')
  const query = pending ? { pending_request: packPendingRequest(provider, pending) } : request.parameters
  return `${provider.config.dashboardOrigin}/consent?${encode(query)}`
}
