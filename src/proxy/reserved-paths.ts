import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'
import { lockSession } from '../identity/sessions/session-store.ts'
import { withQuery } from '../oauth/clients/redirect-uri.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf } from '../oauth/sites/site-host.ts'
import { findHost } from '../oauth/sites/site-store.ts'
import { digest, issueToken } from '../platform/crypto/digest.ts'
import type { Services } from '../platform/services.ts'
import { type ForwardedRequest, isNavigation, isRead } from './proxy-request.ts'
import { beginState, clearSiteCookie, clearState, ownsState, readSiteCookie, setSiteCookie } from './site-cookies.ts'
import {
  consumeSiteCode,
  deleteSiteCookies,
  findSessionOfCode,
  lockSite,
  replaceSiteCookie,
} from './site-session-store.ts'

type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random'>

/** Longer ones would not fit into the addresses that they are carried in. Then the visitor arrives at the start page. */
const MAX_RETURN = 4000

/** Where the visitor of a site is sent to sign in. */
export function loginAddress({ host, path, query }: ForwardedRequest, extra: Record<string, string> = {}): string {
  return withQuery(`${originOf(host)}${RESERVED}login`, { to: safeReturn(path + query), ...extra })
}

/** Only ever a path of the same host, since it is put behind its name; and none of our own, which could repeat. */
export const safeReturn = (to: string | null): string =>
  to !== null && /^\/[\x21-\x7e]*$/.test(to) && to.length <= MAX_RETURN && !to.toLowerCase().startsWith('/.latchkey')
    ? to
    : '/'

/** Answers a request for one of the paths that every site has and no application sees. Returns where the browser goes. */
export async function answerReservedPath(
  services: Needs,
  asked: ForwardedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  if (!(await findHost(services.db.read, asked.host))) refuse('unknown_host', 'No site is registered for this host.')
  const name = asked.path.slice(RESERVED.length)
  // A callback says itself that it failed, since its code is used up by that.
  if (name !== 'callback' && !isRead(asked)) refuse('method_not_allowed', 'This method is not allowed here.')
  const parameters = new URLSearchParams(asked.query)
  switch (name) {
    case 'login':
      return beginSignIn(services, asked, parameters, request, reply)
    case 'callback':
      return finishSignIn(services, asked, parameters, request, reply)
    case 'logout':
      return signOut(services, asked, request, reply)
    default:
      return refuse('not_found', 'There is nothing here.')
  }
}

function beginSignIn(
  services: Needs,
  { host }: ForwardedRequest,
  parameters: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  return withQuery(`${services.config.baseUrl}/api/authz/sign-in`, {
    host,
    state: beginState(services, request, reply),
    to: safeReturn(parameters.get('to')),
    account: parameters.get('account') === 'another' ? 'another' : undefined,
  })
}

/**
 * The browser brings a code from this service. It has to be the one that began: otherwise somebody could sign another
 * person in to an account of theirs (login CSRF, RFC 9700 section 4.7). Whatever is wrong, the code is used up: somebody else
 * has seen it.
 */
async function finishSignIn(
  { db, now, random }: Needs,
  asked: ForwardedRequest,
  parameters: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const { host } = asked
  const [code, state] = [parameters.get('code') ?? '', parameters.get('state') ?? '']
  const isOwn = isRead(asked) && ownsState({ now }, request, state)
  const codeHash = digest(code)
  // Anybody may come here with anything, which must not cost a write.
  if ((await findSessionOfCode(db.read, codeHash)) === undefined) refuseSignIn()
  const token = issueToken(random, '')
  const at = now()
  const found = await db.transaction(async (trx) => {
    const session = await findSessionOfCode(trx, codeHash)
    if (!session) return undefined
    const lives = await lockSession(trx, { ...session, now: at, lock: 'shared' })
    const site = await lockSite(trx, host)
    const consumed = await consumeSiteCode(trx, codeHash)
    const isGood = isOwn && consumed?.host === host && consumed.state === state && consumed.expiresAt > at
    if (!lives || !site || site.disabled || !isGood) return undefined
    await replaceSiteCookie(trx, { tokenHash: token.hash, host, sessionId: session.id, now: at })
    return { ...session, returnTo: consumed.returnTo }
  })
  const { remembered, expiresAt, returnTo } = found ?? refuseSignIn()
  clearState(reply, state)
  // It lives as the cookie of the session does.
  setSiteCookie(reply, token.plaintext, remembered === 1 ? Math.floor((expiresAt - at) / 1000) : undefined)
  return originOf(host) + safeReturn(returnTo)
}

const refuseSignIn = (): never =>
  refuse('sign_in_failed', 'This sign-in was not begun in this browser, or took too long. Open the page again.')

/** Ends the cookie of this site. The session is ended by the person, on the page that follows. */
async function signOut(
  { config, db }: Needs,
  asked: ForwardedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  // A picture or a script of another site must not sign anybody out.
  if (request.headers['sec-fetch-site'] === 'cross-site' && !isNavigation(asked, request))
    refuse('foreign_origin', 'This request came from a page that may not make it.')
  const token = readSiteCookie(request)
  if (token !== undefined) await db.transaction((trx) => deleteSiteCookies(trx, digest(token), asked.host))
  clearSiteCookie(reply)
  return withQuery(`${config.dashboardOrigin}/logout`, { site: asked.host })
}
