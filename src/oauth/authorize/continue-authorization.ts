import { refuse } from '../../errors.ts'
import { holdActor } from '../../sessions/hold-actor.ts'
import type { SignedIn } from '../../sessions/session.ts'
import { holdClientWithGrant } from '../consents/grant-store.ts'
import { type ReadParameters, refuseOversized, refuseRepeated } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { includesAll } from '../scope.ts'
import { markAnswered } from './answered-request-store.ts'
import { knownParameters, RedirectedRefusal } from './authorization-request.ts'
import { issueCode } from './issue-code.ts'
import { packPendingRequest, unpackPendingRequest } from './pending-request.ts'
import { readAuthorizationRequest, recheckClient } from './read-authorization-request.ts'
import { type AuthorizationAttempt, encodeQuery, reasonToSignIn, signInUrl } from './sign-in-reason.ts'

const refuseExpired = () =>
  refuse(
    'invalid_request',
    'This sign-in has expired or was finished already. Go back to the application and start again.',
  )

/** Reads a request in full, or one that this server has packed. Every parameter is checked in both cases. */
export async function readAttempt(provider: Provider, given: ReadParameters): Promise<AuthorizationAttempt> {
  const packed = given.values['pending_request']
  if (packed === undefined) {
    refuseOversized(given)
    return { request: await readAuthorizationRequest(provider, given), pending: undefined }
  }
  refuseRepeated(given)
  const pending = unpackPendingRequest(provider, packed) ?? refuseExpired()
  const request = await readAuthorizationRequest(provider, { values: pending.parameters, repeated: new Set() })
  return { request, pending }
}

/** Where the browser goes next: to sign in, to consent, or back to the application with a code. */
export async function continueAuthorization(
  provider: Provider,
  attempt: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
): Promise<string> {
  const reason = reasonToSignIn(provider, attempt, signedIn)
  if (reason !== undefined || !signedIn) return signInUrl(provider, attempt, signedIn)

  const { request, pending } = attempt
  const { client_id: clientId } = request.client
  const mustConsent = request.prompts.has('consent') && pending?.consentedBy !== signedIn.user.id
  if (mustConsent) return consentUrl(provider, attempt)

  return provider.db.transaction(async (trx) => {
    await holdActor(trx, provider, { id: signedIn.user.id, sessionId: signedIn.session.id, permission: null })
    const { client, granted } = await holdClientWithGrant(trx, clientId, signedIn.user.id)
    recheckClient(request, client)
    if (!includesAll(granted, request.consentScopes)) return consentUrl(provider, attempt)
    if (pending && !(await markAnswered(trx, pending))) return refuseExpired()
    return issueCode(provider, trx, request, signedIn)
  })
}

function consentUrl(provider: Pick<Provider, 'config' | 'vault'>, { request, pending }: AuthorizationAttempt): string {
  if (request.prompts.has('none'))
    throw new RedirectedRefusal(request, 'consent_required', 'The user has not granted this yet.')
  const query = pending ? { pending_request: packPendingRequest(provider, pending) } : knownParameters(request)
  return `${provider.config.dashboardOrigin}/consent?${encodeQuery(query)}`
}
