import type { SignedInActor } from '../../identity/sessions/actor.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { userMayUse } from '../access/allowed-role-store.ts'
import type { ReadParameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { RedirectedRefusal } from './authorization-request.ts'
import type { NextStep } from './authorization-response.ts'
import { readAttempt } from './continue-authorization.ts'
import { grantAndIssue, notAllowed } from './grant-and-issue.ts'
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
): Promise<NextStep> {
  const attempt = await readAttempt(provider, given)
  const { request } = attempt
  if (!approve) {
    const mayUse = await userMayUse(provider.db.read, request.client.client_id, signedIn.user.id)
    return (mayUse ? new RedirectedRefusal(request, 'access_denied', 'The user said no.') : notAllowed(request))
      .nextStep
  }
  const reason = reasonToSignIn(provider, attempt, signedIn)
  if (reason === 'not_signed_in' || reason === 'demanded') return { redirectTo: signInUrl(provider, attempt, signedIn) }
  return grantAndIssue(provider, attempt, signedIn, actor)
}
