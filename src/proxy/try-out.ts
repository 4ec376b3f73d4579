import { atField } from '../errors.ts'
import { refuseUnknownClient } from '../oauth/clients/client.ts'
import { compileRules } from '../oauth/sites/evaluate-rules.ts'
import { parseHost } from '../oauth/sites/site-host.ts'
import { checkRules, type SiteRule } from '../oauth/sites/site-rule.ts'
import type { Services } from '../platform/services.ts'
import { decideVisit, type DenialReason, siteOf } from './decide-visit.ts'
import { siteErrors } from './proxy-errors.ts'
import { findEntryOfSite, toVisitor } from './visit-store.ts'

export interface TryOut {
  outcome: 'allowed' | 'sign_in' | 'refused'
  reason: DenialReason | null
  /** The number of the rule that decided, from 0; null when none matched. */
  rule: number | null
  /** Whether the person would be named to the application. */
  named: boolean
}

interface TryOutRequest {
  clientId: string
  address: string
  method: string
  userId: string | undefined
  /** Rules that are not saved yet. */
  rules: SiteRule[] | undefined
}

/** What would happen if this person asked for this address, by the same functions that decide it. Nothing is issued or stored. */
export async function tryOut({ db }: Pick<Services, 'db'>, asked: TryOutRequest): Promise<TryOut> {
  const entry = (await findEntryOfSite(db.read, asked.clientId, asked.userId ?? '')) ?? refuseUnknownClient()
  const hosts = JSON.parse(entry.hosts ?? '[]') as string[]
  const path = pathOf(asked.address, hosts)
  if (asked.rules) checkRules(asked.rules)
  const visitor = toVisitor(entry)
  if (asked.userId !== undefined && !visitor) throw siteErrors.no_such_active_user()
  const site = { ...siteOf(entry), ...(asked.rules ? { rules: compileRules(asked.rules) } : {}) }
  const { verdict, ...decision } = decideVisit(site, { method: asked.method, path }, visitor)
  return {
    outcome: decision.outcome,
    reason: decision.outcome === 'refused' ? decision.reason : null,
    rule: verdict?.rule ?? null,
    named: decision.outcome === 'allowed' && decision.visitor !== undefined,
  }
}

/** A path, or a whole address of the site. The path stays as it was written: a parser of URLs would tidy up what is to be tried. */
function pathOf(address: string, hosts: readonly string[]): string {
  const [, host, rest = host === undefined ? address : '/'] = /^https:\/\/([^/?#]+)([/?#].*)?$/i.exec(address) ?? []
  const known = host === undefined ? undefined : parseHost(host.toLowerCase())
  if (host !== undefined && (known === undefined || !hosts.includes(known)))
    throw atField('address', siteErrors.site_address_elsewhere())
  const path = rest.split(/[?#]/)[0] ?? ''
  if (path !== '' && !path.startsWith('/')) throw atField('address', siteErrors.site_address_incomplete())
  return path === '' ? '/' : path
}
