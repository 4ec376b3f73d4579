import { compileRules, evaluateRules } from '../../../src/oauth/sites/evaluate-rules.ts'
import type { SiteRule } from '../../../src/oauth/sites/site-rule.ts'

export const OPEN_PUBLIC: SiteRule[] = [
  { path: '/public/*', policy: 'bypass' },
  { path: '/health', methods: ['GET'], policy: 'bypass' },
]

export const evaluate = (rules: SiteRule[], path: string, method = 'GET') =>
  evaluateRules(compileRules(rules), { method, path })

/** Whether somebody who is not signed in gets there. */
export const isOpen = (rules: SiteRule[], path: string, method = 'GET') => {
  const verdict = evaluate(rules, path, method)
  return verdict !== undefined && !verdict.isDenied && verdict.demands.length === 0
}

/** Each leads out of /public in some server or framework. */
