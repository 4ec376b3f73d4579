import { readingsOf } from './path-readings.ts'
import type { SiteRule } from './site-rule.ts'

/** What rules are about. */
export interface Address {
  method: string
  /** Without the query. */
  path: string
}

/** What an address demands of whoever asks for it. Every demand has to be met. */
export interface Verdict {
  isDenied: boolean
  demands: Demand[]
  /** The number of the rule that decided, for people who try rules out; null when none matched. */
  rule: number | null
}

/** To hold one of these roles, or, with null, to be somebody whom the site admits. */
export type Demand = ReadonlySet<string> | null

export interface CompiledRule {
  policy: SiteRule['policy']
  roles: ReadonlySet<string>
  takesMethod(method: string): boolean
  takesPath(path: ReadPath): boolean
  /** How many characters at the beginning of a folded path it depends on. */
  reach: number
}

/** One reading of a path in the two forms that rules compare. They are made once, however many rules there are. */
interface ReadPath {
  exact: string
  /** Without regard to case, and with a slash at the end. What is beyond the reach of all rules is left out. */
  wide: string
}

export const compileRules = (rules: readonly SiteRule[]): CompiledRule[] =>
  rules.map(({ path, methods, policy, roles }) => ({
    policy,
    roles: new Set(roles),
    takesMethod: compileMethods(methods),
    takesPath: policy === 'bypass' ? matchExactly(path) : matchWidely(path),
    reach: withSlash(fold(path)).length,
  }))

const compileMethods = (methods: readonly string[] | undefined) => {
  if (methods === undefined) return () => true
  const named = new Set(methods)
  if (named.has('GET')) named.add('HEAD')
  return (method: string) => named.has(method)
}

/** A rule that opens something must not open more than it says. */
function matchExactly(rule: string): CompiledRule['takesPath'] {
  if (!rule.endsWith('/*')) return ({ exact }) => exact === rule
  const start = rule.slice(0, -1)
  return ({ exact }) => exact.startsWith(start)
}

/** A rule that closes something also closes what an application might take for the same. */
function matchWidely(rule: string): CompiledRule['takesPath'] {
  if (!rule.endsWith('/*')) {
    const wanted = withSlash(fold(rule))
    return ({ wide }) => wide === wanted
  }
  const start = fold(rule.slice(0, -1))
  return ({ wide }) => wide.startsWith(start)
}

/** Without regard to case. Some letters have a partner in one direction only, such as the long s. */
export const fold = (text: string): string => text.toUpperCase().toLowerCase()

/** No character becomes shorter when it is folded, so what is cut off is behind what the rules depend on. */
const widely = (path: string, reach: number): string => withSlash(fold(path.slice(0, reach + 1)))

export const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

/**
 * Judges every reading of the path by the first rule that matches it, and holds to the strictest verdict: whatever the
 * application reads, its rule was met. Undefined for a path that is refused whatever the rules are.
 */
export function judgeAddress(rules: readonly CompiledRule[], { method, path }: Address): Verdict | undefined {
  const reach = Math.max(RESERVED.length, ...rules.map((rule) => rule.reach))
  const readings = readingsOf(path)?.map((exact): ReadPath => ({ exact, wide: widely(exact, reach) }))
  if (!readings || readings.some(({ wide }) => wide.startsWith(RESERVED))) return undefined
  const verdict: Verdict = { isDenied: false, demands: [], rule: null }
  let strictness = -1
  for (const reading of readings) {
    const at = rules.findIndex((rule) => rule.takesMethod(method) && rule.takesPath(reading))
    const rule = rules[at]
    if (rule?.policy === 'deny') verdict.isDenied = true
    else if (rule?.policy === 'roles') verdict.demands.push(rule.roles)
    else if (!rule) verdict.demands.push(null)
    const strict = rule ? STRICTNESS[rule.policy] : NO_RULE
    if (strict > strictness) {
      strictness = strict
      verdict.rule = rule ? at : null
    }
  }
  return verdict
}

const STRICTNESS = { bypass: 0, roles: 2, deny: 3 } as const
const NO_RULE = 1

/** The paths of every site that are ours and never reach the application. */
export const RESERVED = '/.latchkey/'

/** Whether somebody who holds these roles meets what an address demands. `isAdmitted`: by the roles of the site as a whole. */
export const meetsDemands = (
  { demands }: Pick<Verdict, 'demands'>,
  { roleIds, isAdmitted }: { roleIds: readonly string[]; isAdmitted: boolean },
): boolean => demands.every((demand) => (demand === null ? isAdmitted : roleIds.some((id) => demand.has(id))))
