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
  matches(address: Address): boolean
}

export const compileRules = (rules: readonly SiteRule[]): CompiledRule[] =>
  rules.map(({ path, methods, policy, roles }) => {
    const takesMethod = compileMethods(methods)
    const takesPath = policy === 'bypass' ? matchExactly(path) : matchWidely(path)
    return {
      policy,
      roles: new Set(roles),
      matches: (address) => takesMethod(address.method) && takesPath(address.path),
    }
  })

const compileMethods = (methods: readonly string[] | undefined) => {
  if (methods === undefined) return () => true
  const named = new Set(methods)
  if (named.has('GET')) named.add('HEAD')
  return (method: string) => named.has(method)
}

/** A rule that opens something must not open more than it says. */
function matchExactly(rule: string): (path: string) => boolean {
  if (!rule.endsWith('/*')) return (path) => path === rule
  const start = rule.slice(0, -1)
  return (path) => path.startsWith(start)
}

/** A rule that closes something also closes what an application might take for the same. */
function matchWidely(rule: string): (path: string) => boolean {
  if (!rule.endsWith('/*')) {
    const wanted = withSlash(fold(rule))
    return (path) => withSlash(fold(path)) === wanted
  }
  const start = fold(rule.slice(0, -1))
  return (path) => withSlash(fold(path)).startsWith(start)
}

/** Without regard to case. Some letters have a partner in one direction only, such as the long s. */
const fold = (text: string): string => text.toUpperCase().toLowerCase()

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

/**
 * Judges every reading of the path by the first rule that matches it, and holds to the strictest verdict: whatever the
 * application reads, its rule was met. Undefined for a path that is refused whatever the rules are.
 */
export function judgeAddress(rules: readonly CompiledRule[], { method, path }: Address): Verdict | undefined {
  const readings = readingsOf(path)
  if (!readings || readings.some(isReserved)) return undefined
  const verdict: Verdict = { isDenied: false, demands: [], rule: null }
  let strictness = -1
  for (const reading of readings) {
    const at = rules.findIndex((rule) => rule.matches({ method, path: reading }))
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
const isReserved = (path: string): boolean => withSlash(fold(path)).startsWith(RESERVED)

/** Whether somebody who holds these roles meets what an address demands. `isAdmitted`: by the roles of the site as a whole. */
export const meetsDemands = (
  { demands }: Pick<Verdict, 'demands'>,
  { roleIds, isAdmitted }: { roleIds: readonly string[]; isAdmitted: boolean },
): boolean => demands.every((demand) => (demand === null ? isAdmitted : roleIds.some((id) => demand.has(id))))
