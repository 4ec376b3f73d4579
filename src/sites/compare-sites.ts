import { type HeaderNames, headerOf, IDENTITY_FIELDS } from './identity-header.ts'
import { coversBoth, EVERYWHERE, overlap, type Region, regionOf } from './rule-region.ts'
import type { SiteRule } from './site-rule.ts'

/** What decides who is let in at a host, and how they are named there. */
export interface Admission {
  /** Null: everybody. */
  allowedRoles: readonly string[] | null
  rules: readonly SiteRule[]
  headers: HeaderNames
  disabled: boolean
}

/** What happens to a visitor at an address, the less the better for the application. */
const REFUSED = 0
const ANONYMOUS = 1
const NAMED = 2

type Outcome = typeof REFUSED | typeof ANONYMOUS | typeof NAMED

interface Judged {
  region: Region
  outcome: Outcome
}

/**
 * Whether somebody with these roles is let in somewhere at a host after a change of its site where they were not before, or is
 * named there otherwise.
 *
 * There are infinitely many addresses, so rules are compared by the sets of addresses that they match: for each rule before and
 * each rule after whose outcomes differ for the worse, whether any address is left for which exactly these two decide. Where
 * that can't be told (several earlier rules match these addresses only together), there is one: a change may be refused
 * although it is harmless, and is never allowed although it is not. It is enough to compare single readings of paths: what is
 * let in by all of its readings was let in by all of them before. docs/decisions/0022-judging-gains.md has the proof.
 */
export function findSiteGain(
  before: Admission,
  after: Admission,
  roleIds: ReadonlySet<string>,
): 'admitted' | 'named' | undefined {
  const [earlier, later] = [judge(before, roleIds), judge(after, roleIds)]
  let gain: 'named' | undefined
  for (const [j, now] of later.entries()) {
    if (now.outcome === REFUSED) continue
    for (const [i, was] of earlier.entries()) {
      if (now.outcome <= was.outcome || !overlap(was.region, now.region)) continue
      if (isDecidedBefore(earlier, i, was, now) || isDecidedBefore(later, j, was, now)) continue
      if (was.outcome === REFUSED) return 'admitted'
      gain = 'named'
    }
  }
  const isNamed = later.some(({ outcome }) => outcome === NAMED)
  return isNamed && headersOf(before) !== headersOf(after) ? 'named' : gain
}

/** Whether an earlier rule of the list matches all addresses that both of these match. */
const isDecidedBefore = (list: readonly Judged[], end: number, a: Judged, b: Judged): boolean => {
  for (let at = 0; at < end; at++) {
    const cover = list[at]
    if (cover && coversBoth(cover.region, a.region, b.region)) return true
  }
  return false
}

/** The rules in their order, and what holds where none matches, by what each means for somebody with these roles. */
function judge({ allowedRoles, rules, disabled }: Admission, roleIds: ReadonlySet<string>): Judged[] {
  if (disabled) return [{ region: EVERYWHERE, outcome: REFUSED }]
  const holdsOne = (roles: readonly string[]) => roles.some((id) => roleIds.has(id))
  const isAdmitted = allowedRoles === null || holdsOne(allowedRoles)
  const outcomeOf = ({ policy, roles = [] }: SiteRule): Outcome => {
    if (policy === 'bypass') return isAdmitted ? NAMED : ANONYMOUS
    return policy === 'roles' && holdsOne(roles) ? NAMED : REFUSED
  }
  return [
    ...rules.map((rule) => ({ region: regionOf(rule), outcome: outcomeOf(rule) })),
    { region: EVERYWHERE, outcome: isAdmitted ? NAMED : REFUSED },
  ]
}

/** Which header says what. A header that is left out counts too: a proxy might let the visitor's own through. */
const headersOf = ({ headers }: Admission): string =>
  JSON.stringify(IDENTITY_FIELDS.map((field) => headerOf(headers, field)?.toLowerCase() ?? null))
