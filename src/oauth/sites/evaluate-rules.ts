import { interpretationsOf } from './path-interpretations.ts'
import { type InterpretedPath, type Region, fold, matchesPath, regionOf, withSlash } from './rule-region.ts'
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
  region: Region
}

export const compileRules = (rules: readonly SiteRule[]): CompiledRule[] =>
  rules.map((rule) => ({ policy: rule.policy, roles: new Set(rule.roles), region: regionOf(rule) }))

/** No character becomes shorter when it is folded, so what is cut off is behind what the rules depend on. */
const widely = (path: string, reach: number): string => withSlash(fold(path.slice(0, reach + 1)))

/**
 * Checks every interpretation of the path by the first rule that matches it, and holds to the strictest verdict: whatever the
 * application reads, its rule was met. Undefined for a path that is refused whatever the rules are.
 */
export function evaluateRules(rules: readonly CompiledRule[], { method, path }: Address): Verdict | undefined {
  const reach = Math.max(RESERVED.length, ...rules.map(({ region }) => region.folded.length))
  const interpretations = interpretationsOf(path)?.map((exact): InterpretedPath => ({
    exact,
    wide: widely(exact, reach),
  }))
  if (!interpretations || interpretations.some(({ wide }) => wide.startsWith(RESERVED))) return undefined
  const verdict: Verdict = { isDenied: false, demands: [], rule: null }
  let strictness = -1
  for (const interpretation of interpretations) {
    const at = rules.findIndex(
      ({ region }) => (region.methods === null || region.methods.has(method)) && matchesPath(region, interpretation),
    )
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
