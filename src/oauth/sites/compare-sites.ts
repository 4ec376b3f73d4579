import { type HeaderNames, IDENTITY_FIELDS, headerOf } from './identity-header.ts'
import { EVERYWHERE, type Region, coversPaths, isCutBy, regionOf } from './rule-region.ts'
import { demandsLess, type SignInDemands } from './sign-in-demands.ts'
import type { SiteRule } from './site-rule.ts'

/** What decides who is let in at a host, and how they are named there. */
export interface Admission extends SignInDemands {
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

interface Evaluated {
  region: Region
  /** One bit for each method that a rule of either list names, and all higher ones for the others. */
  methods: bigint
  outcome: Outcome
}

/**
 * Whether somebody with these roles is let in somewhere at a host after a change of its site where they were not before, or is
 * named there otherwise. A site that lets them in by name after a lesser sign-in lets them in where they were not.
 *
 * There are infinitely many addresses, but only as many kinds of them as there are sets of rules that match the same address.
 * For each kind the outcomes before and after are compared, for all of its methods at once. It is enough to compare single
 * interpretations of paths: what is let in by all of its interpretations was let in by all of them before.
 * docs/decisions/0022-privilege-escalation.md has the proof.
 */
export function findSiteEscalation(
  before: Admission,
  after: Admission,
  roleIds: ReadonlySet<string>,
): 'admitted' | 'named' | undefined {
  const bitsOf = numberMethods()
  const [earlier, later] = [evaluate(before, roleIds, bitsOf), evaluate(after, roleIds, bitsOf)]
  const isNamed = later.some(({ outcome }) => outcome === NAMED)
  if (isNamed && demandsLess(after, before)) return 'admitted'
  // Whose sign-in is not enough is let in as strangers are.
  if (demandsLess({}, before)) {
    const found = findSiteEscalation(forStrangers(before), forStrangers(after), NO_ROLES)
    if (found) return found
  }
  let found: 'named' | undefined = isNamed && headersOf(before) !== headersOf(after) ? 'named' : undefined
  for (const kind of kindsOf(earlier, later)) {
    const [was, is] = [outcomesAt(kind, 'earlier', earlier), outcomesAt(kind, 'later', later)]
    if ((was[REFUSED] & (is[ANONYMOUS] | is[NAMED])) !== 0n) return 'admitted'
    if ((was[ANONYMOUS] & is[NAMED]) !== 0n) found = 'named'
  }
  return found
}

const NO_ROLES: ReadonlySet<string> = new Set()
const forStrangers = ({ rules, headers, disabled }: Admission): Admission => ({
  allowedRoles: [],
  rules,
  headers,
  disabled,
})

/** The addresses of a rule. */
interface Place {
  region: Region
  methods: bigint
  /** For each rule before and after whether it matches all of its paths, and one of its methods. */
  earlier: readonly boolean[]
  later: readonly boolean[]
}

/**
 * The addresses that are in both places: two of the same, or one with no regard to case that is cut by an exact one. Any other
 * two are apart, or one of them has all of the other.
 */
function* kindsOf(earlier: readonly Evaluated[], later: readonly Evaluated[]): Generator<readonly [Place, Place]> {
  const places = [...earlier, ...later].map(({ region, methods }): Place => {
    const matching = (rules: readonly Evaluated[]) =>
      rules.map((rule) => coversPaths(rule.region, region) && (rule.methods & methods) !== 0n)
    return { region, methods, earlier: matching(earlier), later: matching(later) }
  })
  const exact = places.filter(({ region }) => region.isExact)
  for (const a of places) {
    yield [a, a]
    if (a.region.isExact) continue
    for (const b of exact) if (isCutBy(a.region, b.region) && (a.methods & b.methods) !== 0n) yield [a, b]
  }
}

/** The methods with each outcome there, by the first rule that matches. */
function outcomesAt(
  [a, b]: readonly [Place, Place],
  list: 'earlier' | 'later',
  rules: readonly Evaluated[],
): [bigint, bigint, bigint] {
  const outcomes: [bigint, bigint, bigint] = [0n, 0n, 0n]
  const [inA, inB] = [a[list], b[list]]
  let left = a.methods & b.methods
  for (let at = 0; left !== 0n && at < rules.length; at++) {
    const rule = rules[at]
    if (!rule || !(inA[at] || inB[at])) continue
    const taken = left & rule.methods
    outcomes[rule.outcome] |= taken
    left ^= taken
  }
  return outcomes
}

/** Gives each method a bit of its own. */
function numberMethods(): (methods: Region['methods']) => bigint {
  const known = new Map<string, bigint>()
  return (methods) => {
    if (methods === null) return -1n
    let bits = 0n
    for (const method of methods) {
      const bit = known.get(method) ?? 1n << BigInt(known.size)
      known.set(method, bit)
      bits |= bit
    }
    return bits
  }
}

/** The rules in their order, and what holds where none matches, by what each means for somebody with these roles. */
function evaluate(
  { allowedRoles, rules, disabled }: Admission,
  roleIds: ReadonlySet<string>,
  bitsOf: (methods: Region['methods']) => bigint,
): Evaluated[] {
  const holdsOne = (roles: readonly string[]) => roles.some((id) => roleIds.has(id))
  const isAdmitted = allowedRoles === null || holdsOne(allowedRoles)
  const outcomeOf = ({ policy, roles = [] }: SiteRule): Outcome => {
    if (policy === 'bypass') return isAdmitted ? NAMED : ANONYMOUS
    return policy === 'roles' && holdsOne(roles) ? NAMED : REFUSED
  }
  const toEvaluated = (region: Region, outcome: Outcome) => ({ region, outcome, methods: bitsOf(region.methods) })
  if (disabled) return [toEvaluated(EVERYWHERE, REFUSED)]
  return [
    ...rules.map((rule) => toEvaluated(regionOf(rule), outcomeOf(rule))),
    toEvaluated(EVERYWHERE, isAdmitted ? NAMED : REFUSED),
  ]
}

/** Which header says what. A header that is left out counts too: a proxy might let the visitor's own through. */
const headersOf = ({ headers }: Admission): string =>
  JSON.stringify(IDENTITY_FIELDS.map((field) => headerOf(headers, field)?.toLowerCase() ?? null))
