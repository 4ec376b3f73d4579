import type { SignedIn } from '../../identity/sessions/session.ts'
import { acrOf, isEnough } from '../../vocabulary/sign-in-methods.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors } from './authorization-errors.ts'
import { type AuthorizationRequest, RedirectedError, knownParameters } from './authorization-request.ts'
import { type PendingRequest, packPendingRequest } from './pending-request.ts'

/** A checked authorization request, with its state if the browser was sent to sign in for it. */
export interface AuthorizationAttempt {
  request: AuthorizationRequest
  pending: PendingRequest | undefined
}

/** Why the user has to sign in: not signed in, the request demands it, or the last sign-in is older than `max_age`. */
export type SignInReason = 'not_signed_in' | 'demanded' | 'too_old'

/** Returning from the sign-in page takes a moment, which must not exceed a short `max_age`. */
const RETURN_MS = 1000
/** After this many sign-ins that were too old when the browser returned, the request is refused. */
const MAX_SIGN_INS = 3
/** This URL is encoded again as a parameter of another URL, which must fit into the headers of a request. */
const MAX_PLAIN_LENGTH = 8 * 1024

/** Undefined when the signed-in user meets the request. */
export function reasonToSignIn(
  provider: Pick<Provider, 'now'>,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
): SignInReason | undefined {
  const reason = findReason(provider.now(), request, pending, signedIn)
  if (reason !== undefined && request.prompts.has('none'))
    throw new RedirectedError(request, 'login_required', authorizationErrors.sign_in_needed())
  return reason
}

function findReason(
  now: number,
  request: AuthorizationRequest,
  pending: PendingRequest | undefined,
  signedIn: SignedIn | undefined,
): SignInReason | undefined {
  if (!signedIn) return 'not_signed_in'
  const { hintedUser, claims, maxAge } = request
  const isOther = hintedUser !== undefined && hintedUser !== signedIn.user.id
  const isTooWeak = claims.acr?.every((demanded) => !isEnough(acrOf(signedIn), demanded)) ?? false
  const age = now - signedIn.session.authTime
  if (!isFresh(signedIn, pending)) {
    if (isOther || isTooWeak || demandsSignIn(request)) return 'demanded'
    return maxAge !== undefined && age > maxAge * 1000 ? 'too_old' : undefined
  }
  // The user signed in for this request. Another sign-in could repeat without end (OpenID Connect Core 3.1.2.2).
  if (isOther) throw new RedirectedError(request, 'login_required', authorizationErrors.other_user_signed_in())
  if (isTooWeak)
    throw new RedirectedError(request, 'unmet_authentication_requirements', authorizationErrors.acr_not_met())
  // But the sign-in may be too old by now, for example after a long time on the consent page.
  if (maxAge === undefined || maxAge === 0 || age <= maxAge * 1000 + RETURN_MS) return undefined
  if (pending.signIns >= MAX_SIGN_INS)
    throw new RedirectedError(request, 'login_required', authorizationErrors.max_age_exceeded())
  return 'too_old'
}

/** A `max_age` of 0 is the same as `prompt=login` (OpenID Connect Core 3.1.2.1). */
const demandsSignIn = ({ prompts, maxAge }: AuthorizationRequest): boolean =>
  prompts.has('login') || prompts.has('select_account') || maxAge === 0

/** Whether the session was started for this request: after it arrived, and not the session of that time. */
const isFresh = ({ session }: SignedIn, pending: PendingRequest | undefined): pending is PendingRequest =>
  pending !== undefined && session.id !== pending.sessionId && session.createdAt >= pending.since

/** The URL of the sign-in page, which returns to the request. */
export function signInUrl(
  provider: Pick<Provider, 'config' | 'now' | 'random' | 'vault'>,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
  consentedBy: string | null = pending?.consentedBy ?? null,
): string {
  const { hintedUser, maxAge, claims } = request
  const parameters = knownParameters(request)
  const needsState =
    demandsSignIn(request) || maxAge !== undefined || hintedUser !== undefined || claims.acr !== undefined
  const plain = encodeQuery(parameters)
  const isPlain = !pending && consentedBy === null && !needsState && plain.length <= MAX_PLAIN_LENGTH
  const next = isPlain ? undefined : { ...nextPending(provider, { request, pending }, signedIn), consentedBy }
  const { login_hint } = parameters
  const query = next
    ? encodeQuery({
        pending_request: packPendingRequest(provider, next),
        ...(login_hint === undefined ? {} : { login_hint }),
      })
    : plain
  return `${provider.config.dashboardOrigin}/login?${encodeQuery({ return_to: `/oauth/authorize?${query}` })}`
}

/** The state stays the same until the user has signed in; a sign-in that is too old starts a new one. */
function nextPending(
  { now, random }: Pick<Provider, 'now' | 'random'>,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
): PendingRequest {
  if (pending && !(signedIn && isFresh(signedIn, pending))) return pending
  return {
    id: pending?.id ?? random.text(32),
    askedAt: pending?.askedAt ?? now(),
    since: now(),
    sessionId: signedIn?.session.id ?? null,
    signIns: (pending?.signIns ?? 0) + 1,
    consentedBy: null,
    parameters: knownParameters(request),
  }
}

export const encodeQuery = (parameters: Parameters): string => new URLSearchParams(parameters).toString()
