import type { SignedIn } from '../../sessions/session.ts'
import type { Parameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { type AuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { acrOf } from './issue-code.ts'
import { packPendingRequest, type PendingRequest } from './pending-request.ts'

/** A request as it stands: checked, with what was noted when it sent somebody to sign in. */
export interface Asked {
  request: AuthorizationRequest
  pending: PendingRequest | undefined
}

/** Why somebody has to sign in first: nobody has, the request asks for it, or it was too long ago and nothing else. */
export type SignInReason = 'nobody' | 'asked' | 'age'

/** Coming back from the sign-in page takes a moment, which must not count against the shortest `max_age`. */
const RETURN_MS = 1000
/** A `max_age` that is over again and again before the browser is back can't be met. */
const MAX_SIGN_INS = 3
/** A URL that holds this one, encoded again, must still fit into the headers of a request. */
const MAX_PLAIN_LENGTH = 8 * 1024

/** Nothing when whoever is signed in will do. */
export function reasonToSignIn(
  provider: Pick<Provider, 'now'>,
  { request, pending }: Asked,
  who: SignedIn | undefined,
): SignInReason | undefined {
  const reason = findReason(provider.now(), request, pending, who)
  if (reason !== undefined && request.prompts.has('none'))
    throw new RedirectedRefusal(request, 'login_required', 'Nobody suitable is signed in.')
  return reason
}

function findReason(
  now: number,
  request: AuthorizationRequest,
  pending: PendingRequest | undefined,
  who: SignedIn | undefined,
): SignInReason | undefined {
  if (!who) return 'nobody'
  const { hintedUser, claims, maxAge } = request
  const isOther = hintedUser !== undefined && hintedUser !== who.user.id
  const isTooWeak = claims.acr !== undefined && !claims.acr.includes(acrOf(who))
  const age = now - who.session.createdAt
  if (!isFresh(who, pending)) {
    if (isOther || isTooWeak || asksAnew(request)) return 'asked'
    return maxAge !== undefined && age > maxAge * 1000 ? 'age' : undefined
  }
  // They signed in for this request. Asking again would go round in circles (OpenID Connect Core 3.1.2.2).
  if (isOther) throw new RedirectedRefusal(request, 'login_required', 'Another user than the hinted one signed in.')
  if (isTooWeak)
    throw new RedirectedRefusal(request, 'unmet_authentication_requirements', 'The user signed in with less than that.')
  // But the sign-in may have been too long ago since, on the consent page for example.
  if (maxAge === undefined || maxAge === 0 || age <= maxAge * 1000 + RETURN_MS) return undefined
  if (pending.signIns >= MAX_SIGN_INS)
    throw new RedirectedRefusal(request, 'login_required', 'The user signed in, but did not come back within max_age.')
  return 'age'
}

/** A `max_age` of 0 is the same as `prompt=login` (OpenID Connect Core 3.1.2.1). */
const asksAnew = ({ prompts, maxAge }: AuthorizationRequest): boolean =>
  prompts.has('login') || prompts.has('select_account') || maxAge === 0

/** Whether the session was made for this request: after it came, and not the one that was there. */
const isFresh = ({ session }: SignedIn, pending: PendingRequest | undefined): pending is PendingRequest =>
  pending !== undefined && session.id !== pending.sessionId && session.createdAt >= pending.since

/** The sign-in page, which leads back to the request. */
export function whereToSignIn(
  provider: Pick<Provider, 'config' | 'now' | 'random' | 'vault'>,
  { request, pending }: Asked,
  who: SignedIn | undefined,
  consentedBy: string | null = pending?.consentedBy ?? null,
): string {
  const { parameters, hintedUser, maxAge, claims } = request
  const mustKnowItsTime =
    asksAnew(request) || maxAge !== undefined || hintedUser !== undefined || claims.acr !== undefined
  const plain = encode(parameters)
  const isPlain = !pending && consentedBy === null && !mustKnowItsTime && plain.length <= MAX_PLAIN_LENGTH
  const next = isPlain ? undefined : { ...nextPending(provider, { request, pending }, who), consentedBy }
  const { login_hint } = parameters
  const query = next
    ? encode({
        pending_request: packPendingRequest(provider, next),
        ...(login_hint === undefined ? {} : { login_hint }),
      })
    : plain
  return `${provider.config.dashboardOrigin}/login?${encode({ return_to: `/oauth/authorize?${query}` })}`
}

/** Whoever comes back without having signed in is sent with the same; a sign-in that is too old needs another one. */
function nextPending(
  { now, random }: Pick<Provider, 'now' | 'random'>,
  { request, pending }: Asked,
  who: SignedIn | undefined,
): PendingRequest {
  if (pending && !(who && isFresh(who, pending))) return pending
  return {
    id: pending?.id ?? random.text(32),
    askedAt: pending?.askedAt ?? now(),
    since: now(),
    sessionId: who?.session.id ?? null,
    signIns: (pending?.signIns ?? 0) + 1,
    consentedBy: null,
    parameters: request.parameters,
  }
}

export const encode = (parameters: Parameters): string => new URLSearchParams(parameters).toString()
