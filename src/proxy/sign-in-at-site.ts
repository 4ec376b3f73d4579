import { refuse } from '../errors.ts'
import { listProofs } from '../identity/sessions/fresh.ts'
import { lockActor } from '../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../identity/sessions/session.ts'
import { acrOfDemand, stepUpPage } from '../oauth/authorize/sign-in-reason.ts'
import { fallsShort, isTooOld, missingAcr } from '../oauth/clients/demands.ts'
import { withQuery } from '../oauth/clients/redirect-uri.ts'
import { RESERVED } from '../oauth/sites/evaluate-rules.ts'
import { originOf, parseHost } from '../oauth/sites/site-host.ts'
import { issueToken } from '../platform/crypto/digest.ts'
import type { Services } from '../platform/services.ts'
import type { Trx } from '../storage/database.ts'
import { isMissingReference } from '../storage/failure.ts'
import { type Acr, acrOf, strongestOf } from '../vocabulary/sign-in-methods.ts'
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
  const path = withQuery('/api/authz/sign-in', { host, state, to: safeReturn(to) })
  if (signedIn.fallsShort) return stepUpPage(services, path, await acrOfDemand(db.read, signedIn))
  const code = issueToken(random, '')
  try {
    const missing = await db.transaction(async (trx) => {
      await lockActor(trx, { now }, { id: signedIn.user.id, permission: null, sessionId: signedIn.session.id })
      if (!(await lockSite(trx, host))) refuseHost()
      const entry = (await findEntry(trx, host, signedIn.user.id)) ?? refuseHost()
      refuseOff(entry)
      const visitor = toVisitor(entry)
      if (!visitor || !entry.mayEnter) throw new SiteDenial('role', entry, visitor)
      if (visitor.mustConfirm) throw new SiteDenial('unconfirmed', entry, visitor)
      const lacking = await findMissing(trx, now(), entry, signedIn)
      if (lacking === 'unmet') throw new SiteDenial('weak', entry, visitor)
      if (lacking !== undefined) return lacking
      await addSiteCode(trx, {
        codeHash: code.hash,
        host,
        sessionId: signedIn.session.id,
        state,
        returnTo: safeReturn(to),
        expiresAt: now() + CODE_MS,
      })
      return undefined
    })
    if (missing !== undefined) return stepUpPage(services, path, missing)
  } catch (error) {
    // The site or the session ended meanwhile.
    if (isMissingReference(error)) refuseHost()
    throw error
  }
  return withQuery(`${originOf(host)}${RESERVED}callback`, { code: code.plaintext, state })
}

/** What the session lacks that the site demands. `1` is any proof, where the last one is too long ago. */
async function findMissing(
  trx: Trx,
  now: number,
  site: Pick<NonNullable<Awaited<ReturnType<typeof findEntry>>>, 'requiredAcr' | 'maxAuthAge'>,
  signedIn: SignedIn,
): Promise<Acr | 'unmet' | undefined> {
  const acr = acrOf(signedIn)
  if (fallsShort(site, { acr })) {
    const strongest = strongestOf(await listProofs(trx, signedIn.user.id))
    return missingAcr({ required: site.requiredAcr, essential: undefined, wanted: [] }, acr, strongest)
  }
  return isTooOld(site, signedIn.session.authTime, now) ? '1' : undefined
}

function refuseOff(entry: NonNullable<Awaited<ReturnType<typeof findEntry>>>): void {
  if (entry.siteDisabledAt !== null) throw new SiteDenial('off', entry, undefined)
}

const refuseHost = (): never => refuse(proxyErrors.host_without_site())
