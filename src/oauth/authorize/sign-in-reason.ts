import { findLacking, type Lacking } from '../../identity/roles/role-demands.ts'
import { listProofs } from '../../identity/sessions/fresh.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import type { Reader } from '../../storage/database.ts'
import { type Acr, acrOf, strongestOf } from '../../vocabulary/sign-in-methods.ts'
import { type AcrDemands, isStrongEnough, missingAcr } from '../clients/demands.ts'
import { withQuery } from '../clients/redirect-uri.ts'
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

/**
 * Why the user has to sign in, or to prove in this session who they are: not signed in, the request demands a new sign-in, the last
 * proof is older than allowed, or weaker than demanded.
 */
export type SignInReason = { why: 'not_signed_in' | 'demanded' } | { why: 'too_old' | 'too_weak'; acr: Acr }

/** Returning from the sign-in page takes a moment, which must not exceed a short `max_age`. */
const RETURN_MS = 1000
/** After this many sign-ins that were too old when the browser returned, the request is refused. */
const MAX_SIGN_INS = 3
/** This URL is encoded again as a parameter of another URL, which must fit into the headers of a request. */
const MAX_PLAIN_LENGTH = 8 * 1024

/** Undefined when the signed-in user meets the request. */
export async function reasonToSignIn(
  provider: Pick<Provider, 'now'>,
  db: Reader,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
): Promise<SignInReason | undefined> {
  const reason = await findReason(provider.now(), db, { request, pending }, signedIn)
  if (reason !== undefined && request.prompts.has('none'))
    throw new RedirectedError(request, 'login_required', authorizationErrors.sign_in_needed())
  return reason
}

async function findReason(
  now: number,
  db: Reader,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
): Promise<SignInReason | undefined> {
  if (!signedIn) return { why: 'not_signed_in' }
  const { hintedUser } = request
  const isNew = isNewSession(signedIn, pending)
  if (hintedUser !== undefined && hintedUser !== signedIn.user.id) {
    // The user signed in for this request. Another sign-in could repeat without end (OpenID Connect Core 3.1.2.2).
    if (isNew) throw new RedirectedError(request, 'login_required', authorizationErrors.other_user_signed_in())
    return { why: 'demanded' }
  }
  if (demandsSignIn(request) && !isNew) return { why: 'demanded' }
  if (signedIn.fallsShort) return { why: 'too_weak', acr: await acrForRole(db, request, signedIn) }
  const acr = await findMissingAcr(db, request, signedIn)
  if (acr !== undefined) return { why: 'too_weak', acr }
  return isProofTooOld(now, request, pending, signedIn) ? { why: 'too_old', acr: '1' } : undefined
}

/** What a role of the user demands. Somebody who has nothing for it sets it up on the same page, where a page may be shown. */
async function acrForRole(db: Reader, request: AuthorizationRequest, signedIn: SignedIn): Promise<Acr> {
  const lacking = await findLacking(db, signedIn.user.id)
  if (lacking?.means.length === 0 && request.prompts.has('none'))
    throw new RedirectedError(request, 'unmet_authentication_requirements', authorizationErrors.acr_not_met())
  return acrOfRole(lacking)
}

const acrOfRole = (lacking: Lacking | undefined): Acr => (lacking?.demand === 'second_step' ? '2' : 'phr')

/** The same for a site. */
export const acrOfDemand = async (db: Reader, { user }: SignedIn): Promise<Acr> =>
  acrOfRole(await findLacking(db, user.id))

/** What the session lacks. Only then is it read what the person is capable of. */
async function findMissingAcr(db: Reader, request: AuthorizationRequest, signedIn: SignedIn): Promise<Acr | undefined> {
  const { client, claims, acrValues: wanted } = request
  const demands: AcrDemands = { required: client.requiredAcr, essential: claims.acr, wanted }
  const acr = acrOf(signedIn)
  if (isStrongEnough(demands, acr)) return undefined
  const missing = missingAcr(demands, acr, strongestOf(await listProofs(db, signedIn.user.id)))
  if (missing === 'unmet')
    throw new RedirectedError(request, 'unmet_authentication_requirements', authorizationErrors.acr_not_met())
  return missing
}

function isProofTooOld(
  now: number,
  request: AuthorizationRequest,
  pending: PendingRequest | undefined,
  signedIn: SignedIn,
): boolean {
  const limit = maxAgeOf(request)
  const age = now - signedIn.session.authTime
  // A `max_age` of 0 demands a proof for this request, which may then take its time.
  if (!isProvedFor(signedIn, pending)) return request.maxAge === 0 || age > limit
  if (age <= limit + RETURN_MS) return false
  // It may be too old by now, for example after a long time on the consent page.
  if (pending.signIns >= MAX_SIGN_INS)
    throw new RedirectedError(request, 'login_required', authorizationErrors.max_age_exceeded())
  return true
}

/** In milliseconds: what the request allows, or the application, whichever is less. */
const maxAgeOf = ({ maxAge, client: { maxAuthAge } }: AuthorizationRequest): number =>
  Math.min((maxAge || undefined) ?? Infinity, maxAuthAge ?? Infinity) * 1000

const demandsSignIn = ({ prompts }: AuthorizationRequest): boolean =>
  prompts.has('login') || prompts.has('select_account')

/** Whether the session was started for this request: after it arrived, and not the session of that time. */
const isNewSession = ({ session }: SignedIn, pending: PendingRequest | undefined): boolean =>
  pending !== undefined && session.id !== pending.sessionId && session.createdAt >= pending.since

/** Whether its owner was proved for this request: by a new session, or once more in the session of that time. */
const isProvedFor = (signedIn: SignedIn, pending: PendingRequest | undefined): pending is PendingRequest =>
  pending !== undefined &&
  (isNewSession(signedIn, pending) ||
    (signedIn.session.id === pending.sessionId && signedIn.session.authTime > (pending.provedBefore ?? pending.since)))

/**
 * The URL of the page on which the user signs in, or proves in place who they are. It returns to the request. A new sign-in that has
 * become too old needs another one.
 */
export function pageFor(
  provider: Pick<Provider, 'config' | 'now' | 'random' | 'vault'>,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
  reason: SignInReason,
  consentedBy: string | null = pending?.consentedBy ?? null,
): string {
  const { hintedUser } = request
  const parameters = knownParameters(request)
  const needsState =
    demandsSignIn(request) || request.maxAge === 0 || maxAgeOf(request) < Infinity || hintedUser !== undefined
  const plain = encodeQuery(parameters)
  const isPlain = !pending && consentedBy === null && !needsState && plain.length <= MAX_PLAIN_LENGTH
  const next = isPlain ? undefined : { ...nextPending(provider, { request, pending }, signedIn, reason), consentedBy }
  const { login_hint } = parameters
  const query = next
    ? encodeQuery({
        pending_request: packPendingRequest(provider, next),
        ...(login_hint === undefined ? {} : { login_hint }),
      })
    : plain
  const back = `/oauth/authorize?${query}`
  if (!('acr' in reason) || (reason.why === 'too_old' && demandsSignIn(request)))
    return withQuery(`${provider.config.dashboardOrigin}/login`, { return_to: back })
  return stepUpPage(provider, back, reason.acr)
}

/** The page on which somebody proves in their session who they are, and which then goes on to this path. */
export const stepUpPage = ({ config }: Pick<Provider, 'config'>, back: string, acr: Acr): string =>
  withQuery(`${config.dashboardOrigin}/step-up`, { return_to: back, ...(acr === '1' ? {} : { acr }) })

/** The state stays the same until the user was proved; a proof that has become too old starts a new one. */
function nextPending(
  { now, random }: Pick<Provider, 'now' | 'random'>,
  { request, pending }: AuthorizationAttempt,
  signedIn: SignedIn | undefined,
  { why }: SignInReason,
): PendingRequest {
  if (pending && (why !== 'too_old' || !signedIn || !isProvedFor(signedIn, pending))) return pending
  return {
    id: pending?.id ?? random.text(32),
    askedAt: pending?.askedAt ?? now(),
    since: now(),
    sessionId: signedIn?.session.id ?? null,
    provedBefore: signedIn?.session.authTime ?? null,
    signIns: (pending?.signIns ?? 0) + 1,
    consentedBy: null,
    parameters: knownParameters(request),
  }
}

export const encodeQuery = (parameters: Parameters): string => new URLSearchParams(parameters).toString()
