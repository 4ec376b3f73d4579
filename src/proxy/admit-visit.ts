import type { FastifyRequest } from 'fastify'
import { AppError, refuse } from '../errors.ts'
import { markUsed } from '../identity/sessions/session-store.ts'
import { touch } from '../identity/sessions/touch.ts'
import type { Provider } from '../oauth/provider.ts'
import { recordAlone } from '../platform/audit/record-event.ts'
import { digest } from '../platform/crypto/digest.ts'
import { sourceOf } from '../platform/http/request-source.ts'
import { addressKey } from '../platform/limits/address-queue.ts'
import { LIMITS } from '../platform/limits/limits.ts'
import { markAppPasswordUsed } from './app-passwords/app-password-store.ts'
import { decideVisit, siteOf } from './decide-visit.ts'
import { BASIC_CHALLENGE, namesVisitor, readBasicCredentials, type ForwardedRequest } from './proxy-request.ts'
import { readSiteCookie } from './site-cookies.ts'
import { SiteDenial } from './site-denial.ts'
import { findVisit, toVisitor, type VisitRow, type Visitor } from './visit-store.ts'

/** Nobody is signed in at the site who could be let through. */
export class SignInNeeded extends AppError {
  /** Whether credentials came that are wrong: signing in with a browser is no answer to them. */
  readonly isWrong: boolean

  constructor(isWrong: boolean, challenge: string | undefined) {
    super(
      'unauthenticated',
      isWrong ? 'The username or the app password is wrong.' : 'Please sign in.',
      challenge === undefined ? {} : { challenge },
    )
    this.isWrong = isWrong
  }
}

/** Who is let through. */
export interface Admitted {
  row: VisitRow
  visitor: Visitor | undefined
}

/** Decides about one request to a site, from one query. Throws when it is not let through. */
export async function admitVisit(
  provider: Pick<Provider, 'db' | 'now' | 'limits' | 'locate' | 'observeEvent'>,
  asked: ForwardedRequest,
  request: FastifyRequest,
): Promise<Admitted> {
  const { db, now } = provider
  const cookie = readSiteCookie(request)
  const basic = readBasicCredentials(request)
  const row = await findVisit(db.read, {
    host: asked.host,
    cookieHash: cookie === undefined ? '' : digest(cookie),
    passwordHash: basic?.passwordHash ?? '',
    now: now(),
  })
  if (!row) return refuse('unknown_host', 'No site is registered for this host.')
  const found = toVisitor(row)
  // Where app passwords are taken, whoever sends credentials is judged by them alone.
  const isWrong = row.basic === 1 && basic !== undefined && !(found && row.appPasswordId && namesVisitor(basic, found))
  // A request counts as a use also when it is refused: the person is there.
  if (found && !isWrong) await markVisit(provider, row)
  const decision = decideVisit(siteOf(row), asked, isWrong ? undefined : found)
  if (decision.outcome === 'refused') throw new SiteDenial(decision.reason, row, found)
  if (decision.outcome === 'sign_in') {
    if (isWrong) await countWrongPassword(provider, row, request)
    throw signInNeeded(row, isWrong, request)
  }
  return { row, visitor: decision.visitor }
}

/** A request with a live cookie counts as a use of its session. */
async function markVisit(provider: Pick<Provider, 'db' | 'now'>, row: VisitRow): Promise<void> {
  const { sessionId, appPasswordId } = row
  if (appPasswordId !== null)
    await touch(provider, row.appPasswordUsedAt ?? 0, (trx, at) => markAppPasswordUsed(trx, appPasswordId, at))
  else if (sessionId !== null) await touch(provider, row.sessionUsedAt ?? 0, (trx, at) => markUsed(trx, sessionId, at))
}

/** A browser that opens a page would show a form for a password that the person does not have. */
const signInNeeded = ({ basic }: VisitRow, isWrong: boolean, { headers }: FastifyRequest): SignInNeeded =>
  new SignInNeeded(
    isWrong,
    isWrong || (basic === 1 && headers['sec-fetch-mode'] === undefined) ? BASIC_CHALLENGE : undefined,
  )

/**
 * Counted like the authentication of clients. Beyond the limit the answer is the same, because nginx knows no 429; only
 * nothing is written any more.
 */
async function countWrongPassword(
  provider: Pick<Provider, 'db' | 'now' | 'limits' | 'locate' | 'observeEvent'>,
  { clientId }: VisitRow,
  request: FastifyRequest,
): Promise<void> {
  const key = `${clientId}\0${addressKey(request.ip)}`
  try {
    provider.limits.check(LIMITS.clientSecret, key)
    if (!(await provider.limits.fail(LIMITS.clientSecret, key))) return
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many_requests') return
    throw error
  }
  await recordAlone(provider, {
    action: 'app_password.refused',
    outcome: 'refused',
    actor: { id: null, email: null, source: sourceOf(provider.locate, request) },
    target: { type: 'oauth_client', id: clientId },
  })
}
