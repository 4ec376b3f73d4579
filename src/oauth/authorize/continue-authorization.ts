import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { lockActor } from '../../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { mustConfirm } from '../../identity/users/email-address.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { lockClientWithGrant } from '../authorizations/grant-store.ts'
import { userMayUse } from '../clients/allowed-role-store.ts'
import { type ReadParameters, refuseOversized, refuseRepeated } from '../protocol/parameters.ts'
import { includesAll } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors } from './authorization-errors.ts'
import { type NextStep, RedirectedError, knownParameters } from './authorization-request.ts'
import { grantAndIssue, issueCode, notAllowed } from './issue-code.ts'
import { answeredUntil, markAnswered, packPendingRequest, unpackPendingRequest } from './pending-request.ts'
import { readAuthorizationRequest, recheckClient } from './read-authorization-request.ts'
import { type AuthorizationAttempt, encodeQuery, pageFor, reasonToSignIn } from './sign-in-reason.ts'

const refuseExpired = () => refuse(authorizationErrors.sign_in_expired())

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
  source: () => RequestSource,
): Promise<NextStep> {
  const reason = await reasonToSignIn(provider, provider.db.read, attempt, signedIn)
  if (reason || !signedIn)
    return { redirectTo: pageFor(provider, attempt, signedIn, reason ?? { why: 'not_signed_in' }) }

  const { request, pending } = attempt
  const { client_id: clientId } = request.client
  const mustConsent = request.prompts.has('consent') && pending?.consentedBy !== signedIn.user.id
  if (mustConsent) {
    const mayUse = await userMayUse(provider.db.read, clientId, signedIn.user.id)
    return mayUse ? consentPage(provider, attempt) : noAccessPage(provider, attempt)
  }

  const step = await provider.db.transaction(async (trx) => {
    const { id } = signedIn.user
    // They are sent together, and lock in this order.
    const [, { client, granted, mayUse, isTold }, isUnconfirmed] = await Promise.all([
      lockActor(trx, provider, { id, sessionId: signedIn.session.id, permission: null }),
      lockClientWithGrant(trx, clientId, id),
      mustConfirm(trx, provider.config, id),
    ])
    const present = recheckClient(provider, request, client)
    if (!mayUse) return noAccessPage(provider, attempt)
    const current = { request: present, pending }
    const lacking = await reasonToSignIn(provider, trx, current, signedIn)
    if (lacking) return { redirectTo: pageFor(provider, current, signedIn, lacking) }
    if (!includesAll(granted, request.consentScopes))
      return client?.consent === 'skip' ? undefined : consentPage(provider, attempt)
    if (pending && !(await markAnswered(trx, answeredUntil(pending)))) return refuseExpired()
    return issueCode(provider, trx, present, { ...signedIn, mustConfirm: isUnconfirmed, isTold })
  })
  return (
    step ??
    grantAndIssue(provider, attempt, signedIn, {
      ...signedIn.user,
      sessionId: signedIn.session.id,
      provedAt: signedIn.session.provedAt,
      permission: null,
      source: source(),
    })
  )
}

const queryOf = (provider: Pick<Provider, 'vault'>, { request, pending }: AuthorizationAttempt): string =>
  encodeQuery(pending ? { pending_request: packPendingRequest(provider, pending) } : knownParameters(request))

function consentPage(provider: Pick<Provider, 'config' | 'vault'>, attempt: AuthorizationAttempt): NextStep {
  if (attempt.request.prompts.has('none'))
    throw new RedirectedError(attempt.request, 'consent_required', authorizationErrors.consent_needed())
  return { redirectTo: `${provider.config.dashboardOrigin}/consent?${queryOf(provider, attempt)}` }
}

/** The page that says to somebody who may not use the application that they may not. */
function noAccessPage(
  provider: Pick<Provider, 'config' | 'vault' | 'problems'>,
  attempt: AuthorizationAttempt,
): NextStep {
  const error = notAllowed(attempt.request)
  if (attempt.request.prompts.has('none')) throw error
  provider.problems.note('/oauth/authorize', error)
  return { redirectTo: `${provider.config.dashboardOrigin}/no-access?${queryOf(provider, attempt)}` }
}

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
): Promise<NextStep> {
  const attempt = await readAttempt(provider, given)
  const { request } = attempt
  if (!approve) {
    const mayUse = await userMayUse(provider.db.read, request.client.client_id, signedIn.user.id)
    return (
      mayUse ? new RedirectedError(request, 'access_denied', authorizationErrors.user_declined()) : notAllowed(request)
    ).nextStep
  }
  const reason = await reasonToSignIn(provider, provider.db.read, attempt, signedIn)
  if (reason && reason.why !== 'too_old') return { redirectTo: pageFor(provider, attempt, signedIn, reason) }
  return grantAndIssue(provider, attempt, signedIn, actor)
}
