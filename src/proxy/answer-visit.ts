import { AppError } from '../errors.ts'
import { markUsed } from '../identity/sessions/session-store.ts'
import { touch } from '../identity/sessions/touch.ts'
import { normalizeEmail } from '../identity/users/email-address.ts'
import type { Provider } from '../oauth/provider.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf } from '../oauth/sites/site-host.ts'
import { recordAlone } from '../platform/audit/record-event.ts'
import { digest } from '../platform/crypto/digest.ts'
import { toAppError } from '../platform/http/errors.ts'
import { requestErrors } from '../platform/http/request-errors.ts'
import { addressKey } from '../platform/limits/address-queue.ts'
import { LIMITS } from '../platform/limits/limits.ts'
import { markAppPasswordUsed } from './app-passwords/app-password-store.ts'
import { decideVisit, siteOf } from './decide-visit.ts'
import { denialPage, formPage } from './denial-page.ts'
import { identityHeaders, type SignVisitor } from './identity-headers.ts'
import { proxyErrors } from './proxy-errors.ts'
import type { BasicCredentials, ProxyAnswer, ProxyEndpoint, ProxyRequest } from './proxy-request.ts'
import { answerReservedPath, loginAddress, redirectTo } from './reserved-paths.ts'
import { noteDenial, SiteDenial } from './site-denial.ts'
import { findVisit, isSignInEnough, toVisitor, type Visitor, type VisitRow } from './visit-store.ts'

type Gate = Provider & { signVisitor: SignVisitor }

/** Answers a proxy that asks whether to let a request through. */
export async function answerVisit(gate: Gate, asked: ProxyRequest): Promise<ProxyAnswer> {
  try {
    if (asked.handsOn && asked.path.startsWith(RESERVED)) return await answerReservedPath(gate, asked)
    const { row, visitor } = await admitVisit(gate, asked)
    const headers = identityHeaders(gate.signVisitor, { host: asked.host, headerNames: row.headerNames, visitor })
    return { status: 200, headers, body: '' }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error instanceof SiteDenial) noteDenial(gate.problems, asked.endpoint, asked, error)
    return answerDenied(asked, error, thrown)
  }
}

/** The answer to a proxy that is not believed, or that did not say what the visitor asked for. */
export const answerUnread = (endpoint: ProxyEndpoint, error: unknown): ProxyAnswer => ({
  error: errorFor(endpoint, toAppError(error), error),
})

/** How a visit is denied, which depends on who asked and on what the proxy can make of it. */
function answerDenied(asked: ProxyRequest, error: AppError, thrown: unknown): ProxyAnswer {
  const { handsOn, opensPage } = asked
  if (error instanceof SignInNeeded && !error.isWrong) {
    const login = loginAddress(asked)
    if (opensPage) return handsOn ? redirectTo(login) : { error, headers: { 'x-redirect-to': login } }
    // Whoever reloads this page sends the form again, so it is not for forms that another site sent.
    if (handsOn && asked.sendsOwnForm) return formPage(asked, error, loginAddress({ ...asked, ...formPageOf(asked) }))
  }
  const shown = errorFor(asked.endpoint, error, thrown)
  const isForPeople = error.status === 403 || error.status === 404
  return opensPage && isForPeople
    ? denialPage(asked, toAppError(shown), loginAddress(asked, { account: 'another' }))
    : { error: shown }
}

/** The page that a form is on, as far as the browser tells; otherwise what the form was sent to. */
function formPageOf({ host, path, query, referer = '' }: ProxyRequest): { path: string; query: string } {
  const page = URL.parse(referer)
  return page?.origin === originOf(host) ? { path: page.pathname, query: page.search } : { path, query }
}

/** The error as this endpoint tells it. */
function errorFor(endpoint: ProxyEndpoint, error: AppError, thrown: unknown): unknown {
  if (endpoint === '/api/authz/auth-request') return errorForNginx(error)
  // Strangers do not learn from a path which hosts are sites, and that a proxy is asked.
  const isHidden =
    error.code === 'unknown_host' || error.code === 'address_refused' || error.code === 'proxy_not_trusted'
  return endpoint === RESERVED && isHidden ? requestErrors.nothing_here() : thrown
}

/** nginx turns every other status into a 500 of its own. A failure of ours is 503: nothing is let through. */
function errorForNginx(error: AppError): AppError {
  if (error.status === 401 || error.status === 403 || error.status === 503) return error
  const { reason, values, message } = error
  const about = { ...(reason === undefined ? {} : { reason }), ...(values ? { values } : {}), cause: error }
  return error.status >= 500
    ? new AppError('unavailable', message, { ...about, retryAfter: 2 })
    : new AppError('address_refused', message, about)
}

/** Nobody is signed in at the site who could be let through. */
class SignInNeeded extends AppError {
  /** Whether credentials came that are wrong: signing in with a browser is no answer to them. */
  readonly isWrong: boolean

  constructor(isWrong: boolean, challenge: string | undefined) {
    const {
      code,
      message,
      reason = '',
    } = isWrong ? proxyErrors.app_password_wrong() : proxyErrors.site_sign_in_needed()
    super(code, message, { reason, ...(challenge === undefined ? {} : { challenge }) })
    this.isWrong = isWrong
  }
}

/** RFC 7617 section 2. */
const BASIC_CHALLENGE = 'Basic realm="App password", charset="UTF-8"'

/** Who is let through. */
interface Admitted {
  row: VisitRow
  visitor: Visitor | undefined
}

/** Decides about one request to a site, from one query. Throws when it is not let through. */
async function admitVisit(gate: Gate, asked: ProxyRequest): Promise<Admitted> {
  const { cookies, basic, isFromBrowser } = asked
  const row = await findVisit(gate.db.read, {
    host: asked.host,
    cookieHash: cookies.token === undefined ? '' : digest(cookies.token),
    passwordHash: basic?.passwordHash ?? '',
    now: gate.now(),
  })
  if (!row) throw proxyErrors.host_without_site()
  const found = isSignInEnough(row, gate.now()) ? toVisitor(row) : undefined
  // Where app passwords are taken, what somebody sends credentials for is decided by these alone.
  const isWrong = row.basic === 1 && basic !== undefined && !(found && row.appPasswordId && namesVisitor(basic, found))
  // A request counts as a use also when it is denied: the person is there.
  if (found && !isWrong) await markVisit(gate, row)
  const decision = decideVisit(siteOf(row), asked, isWrong ? undefined : found)
  if (decision.outcome === 'refused') throw new SiteDenial(decision.reason, row, found)
  if (decision.outcome === 'allowed') return { row, visitor: decision.visitor }
  if (isWrong) await countWrongPassword(gate, row, asked)
  // A browser that opens a page would show a form for a password that the person does not have.
  const isChallenged = isWrong || (row.basic === 1 && !isFromBrowser)
  throw new SignInNeeded(isWrong, isChallenged ? BASIC_CHALLENGE : undefined)
}

const namesVisitor = ({ user }: BasicCredentials, { username, email }: Visitor): boolean =>
  user === username || normalizeEmail(user) === email

/** A request with a live cookie counts as a use of its session. */
async function markVisit(gate: Pick<Provider, 'db' | 'now'>, row: VisitRow): Promise<void> {
  const { sessionId, appPasswordId } = row
  if (appPasswordId !== null)
    await touch(gate, row.appPasswordUsedAt ?? 0, (trx, at) => markAppPasswordUsed(trx, appPasswordId, at))
  else if (sessionId !== null) await touch(gate, row.sessionUsedAt ?? 0, (trx, at) => markUsed(trx, sessionId, at))
}

/**
 * Counted like the authentication of clients. Beyond the limit the answer is the same, because nginx knows no 429; only
 * nothing is written any more.
 */
async function countWrongPassword(
  gate: Gate,
  { clientId }: VisitRow,
  { address, source }: ProxyRequest,
): Promise<void> {
  const key = `${clientId}\0${addressKey(address)}`
  try {
    gate.limits.check(LIMITS.clientSecret, key)
    if (!(await gate.limits.fail(LIMITS.clientSecret, key))) return
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many_requests') return
    throw error
  }
  await recordAlone(gate, {
    action: 'app_password.refused',
    outcome: 'refused',
    actor: { id: null, email: null, source: source() },
    target: { type: 'oauth_client', id: clientId },
  })
}
