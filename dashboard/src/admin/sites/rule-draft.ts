import type { SiteRule } from '../../api/shapes.ts'

/** A rule while it is edited. The key stays when rules are moved. */
export type RuleDraft = { key: number; path: string; methods: string[]; policy: SiteRule['policy']; roles: string[] }

let keys = 0

export const ruleDraft = (rule: SiteRule): RuleDraft => ({
  key: ++keys,
  path: rule.path,
  methods: rule.methods ?? [],
  policy: rule.policy,
  roles: rule.roles ?? [],
})

/** A new one closes: nothing powerful is preselected. */
export const newRule = (): RuleDraft => ({ key: ++keys, path: '', methods: [], policy: 'deny', roles: [] })

export const ruleOf = ({ path, methods, policy, roles }: RuleDraft): SiteRule => ({
  path: path.trim(),
  ...(methods.length > 0 ? { methods } : {}),
  policy,
  ...(policy === 'roles' ? { roles } : {}),
})
