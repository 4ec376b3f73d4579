import {
  type CompiledRule,
  compileRules,
  evaluateRules,
  meetsDemands,
  type Verdict,
} from '../oauth/sites/evaluate-rules.ts'
import { readRules } from '../oauth/sites/site-settings.ts'
import type { SiteAddress } from './proxy-request.ts'
import type { VisitRow, Visitor } from './visit-store.ts'

/** What to do with a request to a site. */
export type Decision =
  /** `visitor` is told to the application. */
  | { outcome: 'allowed'; visitor: Visitor | undefined }
  | { outcome: 'sign_in' }
  | { outcome: 'refused'; reason: DenialReason }

export const DENIAL_REASONS = ['off', 'path', 'denied', 'role', 'unconfirmed'] as const
export type DenialReason = (typeof DENIAL_REASONS)[number]

/** The same with the verdict on the address, for people who try rules out. */
export type Explained = Decision & { verdict: Verdict | undefined }

/**
 * The rule of the whole capability: what the rules of the site demand of this address, and whether the visitor meets it. A site
 * that is turned off lets nobody in.
 */
export function decideVisit(
  { rules, isOff }: { rules: readonly CompiledRule[]; isOff: boolean },
  address: Pick<SiteAddress, 'method' | 'path'>,
  visitor: Visitor | undefined,
): Explained {
  if (isOff) return { outcome: 'refused', reason: 'off', verdict: undefined }
  const verdict = evaluateRules(rules, address)
  return { ...decide(verdict, visitor), verdict }
}

function decide(verdict: Verdict | undefined, visitor: Visitor | undefined): Decision {
  if (!verdict) return { outcome: 'refused', reason: 'path' }
  if (verdict.isDenied) return { outcome: 'refused', reason: 'denied' }
  if (verdict.demands.length === 0) {
    // Open to everybody. Somebody whom the site would not admit is not named to it.
    const isNamed = visitor?.isAdmitted === true && !visitor.mustConfirm
    return { outcome: 'allowed', visitor: isNamed ? visitor : undefined }
  }
  if (!visitor) return { outcome: 'sign_in' }
  if (!meetsDemands(verdict, visitor)) return { outcome: 'refused', reason: 'role' }
  if (visitor.mustConfirm) return { outcome: 'refused', reason: 'unconfirmed' }
  return { outcome: 'allowed', visitor }
}

/** A site as its row says it is. */
export const siteOf = (row: Pick<VisitRow, 'rules' | 'ruleRoles' | 'siteDisabledAt'>) => ({
  rules: rulesOf(row),
  isOff: row.siteDisabledAt !== null,
})

/** Rules follow from two texts of the row alone. Compiling them anew would take longer than the query. */
const compiled = new Map<string, CompiledRule[]>()
const MAX_COMPILED = 1000

function rulesOf({ rules, ruleRoles }: Pick<VisitRow, 'rules' | 'ruleRoles'>): CompiledRule[] {
  const key = `${ruleRoles ?? ''}\0${rules ?? ''}`
  const known = compiled.get(key)
  if (known) return known
  const fresh = compileRules(readRules(rules, ruleRoles))
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  compiled.set(key, fresh)
  return fresh
}
