import { refuse } from '../errors.ts'
import { holdActor } from '../sessions/hold-actor.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isMissingReference } from '../storage/failure.ts'
import { type AuthorizationRequest, readAuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { findGrantedScopes } from './grant-store.ts'
import { acrOf, issueCode } from './issue-code.ts'
import type { Parameters, ReadParameters } from './parameters.ts'
import {
  consumePendingRequest,
  findPendingRequest,
  type PendingRequest,
  rememberRequest,
} from './pending-request-store.ts'
import type { Provider } from './provider.ts'
import { includesAll } from './scope.ts'

/** A request as it stands: checked, with what we remember of it if it has been here before. */
export interface Asked {
  request: AuthorizationRequest
  pending: PendingRequest | undefined
}

const expired = () =>
  refuse(
    'invalid_request',
    'This sign-in has expired or was finished already. Go back to the application and start again.',
  )

/** Whether it comes in full or by the name we gave it, a request is checked from its first parameter to its last. */
export async function readAsked(provider: Provider, given: ReadParameters): Promise<Asked> {
  const id = given.values['pending_request']
  if (id === undefined) return { request: await readAuthorizationRequest(provider, given), pending: undefined }
  const pending = (await findPendingRequest(provider.db, id, provider.now())) ?? expired()
  const request = await readAuthorizationRequest(provider, { values: pending.parameters, repeated: new Set() })
  return { request, pending }
}

/** Where the browser goes next: to sign in, to consent, or back to the application with a code. */
export async function continueAuthorization(
  provider: Provider,
  { request, pending }: Asked,
  who: SignedIn | undefined,
): Promise<string> {
  const login = await whereToSignIn(provider, { request, pending }, who)
  if (login !== undefined || who === undefined) return login ?? expired()

  const granted = await findGrantedScopes(provider.db, who.user.id, request.client.client_id)
  if (request.prompts.has('consent') || !includesAll(granted, request.consentScopes)) {
    return whereToConsent(provider, { request, pending })
  }
  try {
    return await provider.db.transaction().execute(async (trx) => {
      await holdActor(trx, provider, { id: who.user.id, sessionId: who.session.id, permission: null })
      if (pending && !(await consumePendingRequest(trx, pending.id))) return expired()
      return issueCode(provider, trx, request, who)
    })
  } catch (error) {
    // The grant was revoked a moment ago.
    if (isMissingReference(error)) return whereToConsent(provider, { request, pending: undefined })
    throw error
  }
}

/**
 * The sign-in page, while the request needs one. A request that asks for a fresh sign-in gets it once: when somebody
 * comes back with a session that is younger than the request, that need is met, whatever the parameters say.
 */
export async function whereToSignIn(
  provider: Provider,
  { request, pending }: Asked,
  who: SignedIn | undefined,
): Promise<string | undefined> {
  const { prompts, maxAge, hintedUser, claims } = request
  const other = who !== undefined && hintedUser !== undefined && hintedUser !== who.user.id
  const tooWeak = who !== undefined && claims.acr !== undefined && !claims.acr.includes(acrOf(who))
  if (who && pending && isFresh(who, pending)) {
    // Asking again would go round in circles (OpenID Connect Core 3.1.2.2).
    if (other) throw new RedirectedRefusal(request, 'login_required', 'Another user than the hinted one signed in.')
    if (tooWeak)
      throw new RedirectedRefusal(
        request,
        'unmet_authentication_requirements',
        'The user signed in with less than that.',
      )
    return undefined
  }
  const tooOld = who !== undefined && maxAge !== undefined && provider.now() - who.session.createdAt > maxAge * 1000
  const asksAnew = prompts.has('login') || prompts.has('select_account')
  if (who && !other && !tooWeak && !tooOld && !asksAnew) return undefined

  if (prompts.has('none')) throw new RedirectedRefusal(request, 'login_required', 'Nobody suitable is signed in.')
  const mustRemember = asksAnew || maxAge !== undefined || hintedUser !== undefined || claims.acr !== undefined
  const kept = mustRemember
    ? (pending ?? (await rememberRequest(provider, request.parameters, who?.session.id ?? null)))
    : undefined
  const { login_hint } = request.parameters
  const query = kept
    ? { pending_request: kept.id, ...(login_hint === undefined ? {} : { login_hint }) }
    : request.parameters
  const returnTo = `/oauth/authorize?${encode(query)}`
  return `${provider.config.dashboardOrigin}/login?${encode({ return_to: returnTo })}`
}

const isFresh = ({ session }: SignedIn, pending: PendingRequest): boolean =>
  session.id !== pending.sessionId && session.createdAt >= pending.createdAt

function whereToConsent({ config }: Pick<Provider, 'config'>, { request, pending }: Asked): string {
  if (request.prompts.has('none'))
    throw new RedirectedRefusal(request, 'consent_required', 'The user has not granted this yet.')
  return `${config.dashboardOrigin}/consent?${encode(pending ? { pending_request: pending.id } : request.parameters)}`
}

const encode = (parameters: Parameters): string => new URLSearchParams(parameters).toString()
