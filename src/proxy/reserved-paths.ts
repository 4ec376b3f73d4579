import { lockSession } from '../identity/sessions/session-store.ts'
import { withQuery } from '../oauth/clients/redirect-uri.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf } from '../oauth/sites/site-host.ts'
import { findHost } from '../oauth/sites/site-store.ts'
import { digest, issueToken } from '../platform/crypto/digest.ts'
import { requestErrors } from '../platform/http/request-errors.ts'
import type { Services } from '../platform/services.ts'
import { proxyErrors } from './proxy-errors.ts'
import { isRead, type ProxyAnswer, type ProxyRequest, type SiteAddress } from './proxy-request.ts'
import { beginSiteSignIn, endedSignIn, endedSiteCookie, hasBegun, siteCookie } from './site-cookies.ts'
import {
  consumeSiteCode,
  deleteSiteCookies,
  findSessionOfCode,
  lockSite,
  replaceSiteCookie,
} from './site-session-store.ts'

type SiteServices = Pick<Services, 'config' | 'db' | 'now' | 'random'>

/** Longer ones would not fit into the addresses that they are carried in. Then the visitor arrives at the start page. */
const MAX_RETURN = 4000

/** Where the visitor of a site is sent to sign in. */
export function loginAddress(
  { host, path, query }: Omit<SiteAddress, 'method'>,
  extra: Record<string, string> = {},
): string {
  return withQuery(`${originOf(host)}${RESERVED}login`, { to: safeReturn(path + query), ...extra })
}

/** Only ever a path of the same host, since it is put behind its name; and none of our own, which could repeat. */
export const safeReturn = (to: string | null): string =>
  to !== null && /^\/[\x21-\x7e]*$/.test(to) && to.length <= MAX_RETURN && !to.toLowerCase().startsWith('/.latchkey')
    ? to
    : '/'

export const redirectTo = (location: string, cookies: string[] = []): ProxyAnswer => ({
  status: 302,
  headers: { location, 'referrer-policy': 'no-referrer', ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) },
  body: '',
})

/** Answers a request for one of the paths that every site has and no application sees. */
export async function answerReservedPath(services: SiteServices, asked: ProxyRequest): Promise<ProxyAnswer> {
  if (!(await findHost(services.db.read, asked.host))) throw proxyErrors.host_without_site()
  const name = asked.path.slice(RESERVED.length)
  // A callback says itself that it failed, since its code is used up by that.
  if (name !== 'callback' && !isRead(asked)) throw proxyErrors.site_method_not_allowed()
  const parameters = new URLSearchParams(asked.query)
  switch (name) {
    case 'login':
      return beginSignIn(services, asked, parameters)
    case 'callback':
      return finishSignIn(services, asked, parameters)
    case 'logout':
      return signOut(services, asked)
    default:
      throw requestErrors.nothing_here()
  }
}

function beginSignIn(
  services: SiteServices,
  { host, cookies }: ProxyRequest,
  parameters: URLSearchParams,
): ProxyAnswer {
  const begun = beginSiteSignIn(services, cookies)
  const address = withQuery(`${services.config.baseUrl}/api/authz/sign-in`, {
    host,
    state: begun.state,
    to: safeReturn(parameters.get('to')),
    account: parameters.get('account') === 'another' ? 'another' : undefined,
  })
  return redirectTo(address, begun.cookies)
}

/**
 * The browser brings a code from this service. It has to be the one that began: otherwise somebody could sign another
 * person in to an account of theirs (login CSRF, RFC 9700 section 4.7). Whatever is wrong, the code is used up: somebody else
 * has seen it.
 */
async function finishSignIn(
  { db, now, random }: SiteServices,
  asked: ProxyRequest,
  parameters: URLSearchParams,
): Promise<ProxyAnswer> {
  const { host } = asked
  const [code, state] = [parameters.get('code') ?? '', parameters.get('state') ?? '']
  const isOwn = isRead(asked) && hasBegun({ now }, asked.cookies, state)
  const codeHash = digest(code)
  // Anybody may come here with anything, which must not cost a write.
  if ((await findSessionOfCode(db.read, codeHash)) === undefined) throw proxyErrors.site_sign_in_failed()
  const token = issueToken(random, '')
  const at = now()
  const found = await db.transaction(async (trx) => {
    const session = await findSessionOfCode(trx, codeHash)
    if (!session) return undefined
    const lives = await lockSession(trx, { ...session, now: at, lock: 'shared' })
    const site = await lockSite(trx, host)
    const consumed = await consumeSiteCode(trx, codeHash)
    const isGood = isOwn && consumed?.host === host && consumed.state === state && consumed.expiresAt > at
    if (!lives?.meetsDemand || !site || site.disabled || !isGood) return undefined
    await replaceSiteCookie(trx, { tokenHash: token.hash, host, sessionId: session.id, now: at })
    return { ...session, returnTo: consumed.returnTo, sessionMaxAge: site.sessionMaxAge ?? null }
  })
  if (!found) throw proxyErrors.site_sign_in_failed()
  // It lives as the cookie of the session does, or as long as a visit lasts at this site.
  const { remembered, expiresAt, sessionMaxAge } = found
  const maxAge = remembered === 1 ? Math.floor((expiresAt - at) / 1000) : undefined
  const lifetime = maxAge === undefined ? undefined : Math.min(maxAge, sessionMaxAge ?? maxAge)
  const cookies = [endedSignIn(state), siteCookie(token.plaintext, lifetime)]
  return redirectTo(originOf(host) + safeReturn(found.returnTo), cookies)
}

/** Ends the cookie of this site. The session is ended by the person, on the page that follows. */
async function signOut({ config, db }: SiteServices, asked: ProxyRequest): Promise<ProxyAnswer> {
  const { cookies, host, isFromOtherSite, opensPage } = asked
  // A picture or a script of another site must not sign anybody out.
  if (isFromOtherSite && !opensPage) throw proxyErrors.site_sign_out_foreign()
  const { token } = cookies
  if (token !== undefined) await db.transaction((trx) => deleteSiteCookies(trx, digest(token), host))
  return redirectTo(withQuery(`${config.dashboardOrigin}/logout`, { site: host }), [endedSiteCookie()])
}
