import { refuse } from '../errors.ts'
import { lockActor } from '../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../identity/sessions/session.ts'
import { withQuery } from '../oauth/clients/redirect-uri.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf, parseHost } from '../oauth/sites/site-host.ts'
import { issueToken } from '../platform/crypto/digest.ts'
import type { Services } from '../platform/services.ts'
import { isMissingReference } from '../storage/failure.ts'
import { proxyErrors } from './proxy-errors.ts'
import { safeReturn } from './reserved-paths.ts'
import { isSiteState } from './site-cookies.ts'
import { SiteDenial } from './site-denial.ts'
import { addSiteCode, lockSite } from './site-session-store.ts'
import { findEntry, toVisitor } from './visit-store.ts'

/** How long a code is good for: the browser brings it to the site at once. */
const CODE_MS = 60_000

export interface SiteSignIn {
  host: string
  state: string
  to: string
  /** Whether the visitor asked for the sign-in page, to choose another account. */
  account?: string | undefined
}

/** Lets a browser that is signed in here in at a site. Returns where it goes: to the sign-in page, or back to the site with a code. */
export async function signInAtSite(
  services: Pick<Services, 'config' | 'db' | 'now' | 'random'>,
  { host, state, to, account }: SiteSignIn,
  signedIn: SignedIn | undefined,
): Promise<string> {
  const { config, db, now, random } = services
  if (!isSiteState(state)) throw proxyErrors.site_sign_in_not_begun()
  if (!signedIn || account === 'another') {
    const back = withQuery('/api/authz/sign-in', { host, state, to: safeReturn(to) })
    // A stranger gets the same answer for every host, and does not learn which ones are sites.
    if (signedIn) refuseOff((await findEntry(db.read, host, '')) ?? refuseHost())
    else if (parseHost(host) === undefined) refuseHost()
    return withQuery(`${config.dashboardOrigin}/login`, { return_to: back })
  }
  const code = issueToken(random, '')
  try {
    await db.transaction(async (trx) => {
      await lockActor(trx, { now }, { id: signedIn.user.id, permission: null, sessionId: signedIn.session.id })
      if (!(await lockSite(trx, host))) refuseHost()
      const entry = (await findEntry(trx, host, signedIn.user.id)) ?? refuseHost()
      refuseOff(entry)
      const visitor = toVisitor(entry)
      if (!visitor || !entry.mayEnter) throw new SiteDenial('role', entry, visitor)
      if (visitor.mustConfirm) throw new SiteDenial('unconfirmed', entry, visitor)
      await addSiteCode(trx, {
        codeHash: code.hash,
        host,
        sessionId: signedIn.session.id,
        state,
        returnTo: safeReturn(to),
        expiresAt: now() + CODE_MS,
      })
    })
  } catch (error) {
    // The site or the session ended meanwhile.
    if (isMissingReference(error)) refuseHost()
    throw error
  }
  return withQuery(`${originOf(host)}${RESERVED}callback`, { code: code.plaintext, state })
}

function refuseOff(entry: NonNullable<Awaited<ReturnType<typeof findEntry>>>): void {
  if (entry.siteDisabledAt !== null) throw new SiteDenial('off', entry, undefined)
}

const refuseHost = (): never => refuse(proxyErrors.host_without_site())
