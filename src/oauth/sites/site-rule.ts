import { Type } from 'typebox'
import { type AppError, atField } from '../../errors.ts'
import { strict } from '../../platform/http/contracts.ts'
import { siteSettingErrors } from './site-setting-errors.ts'

const POLICIES = ['bypass', 'deny', 'roles'] as const

export const SiteRule = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'An exact path, or one that ends in `/*` and covers what is below that slash.',
    }),
    methods: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z][A-Z-]{0,31}$' }), {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'The methods that it is about; `GET` includes `HEAD`. Without it, all.',
      }),
    ),
    policy: Type.Enum(POLICIES, {
      description:
        '`bypass` lets everybody in, `deny` nobody, `roles` the holders of one of these roles. `bypass` matches exactly; the others match in any case, and with or without a slash at the end.',
    }),
    roles: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 200,
        uniqueItems: true,
        description:
          'With `roles`: the ids of these roles. Roles that are deleted leave the list; an empty one admits nobody.',
      }),
    ),
  },
  { ...strict, title: 'SiteRule' },
)
export type SiteRule = Type.Static<typeof SiteRule>

/** Refuses rules that would not mean what they seem to. */
export function checkRules(rules: readonly SiteRule[]): void {
  for (const [at, { path, policy, roles }] of rules.entries()) {
    const problem = findPathProblem(path)
    if (problem) throw atField(`rules/${at}/path`, problem)
    if (policy === 'roles' && (roles ?? []).length === 0)
      throw atField(`rules/${at}/roles`, siteSettingErrors.rule_needs_role())
    if (policy !== 'roles' && roles !== undefined)
      throw atField(`rules/${at}/roles`, siteSettingErrors.roles_without_policy())
  }
}

function findPathProblem(path: string): AppError | undefined {
  if (!path.startsWith('/')) return siteSettingErrors.rule_path_needs_slash()
  const fixed = path.endsWith('/*') ? path.slice(0, -1) : path
  if (fixed.includes('*')) return siteSettingErrors.rule_path_wildcard()
  if (/[?#%\\]/.test(fixed)) return siteSettingErrors.rule_path_has_special_characters()
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(fixed)) return siteSettingErrors.rule_path_has_control_characters()
  if (fixed.includes('//')) return siteSettingErrors.rule_path_has_two_slashes()
  if (fixed.split('/').some((segment) => segment === '.' || segment === '..'))
    return siteSettingErrors.rule_path_has_dot_segments()
  return undefined
}

/** The roles that rules name, with where each is named. */
export const rolesOfRules = (rules: readonly SiteRule[]): { path: string; roleId: string }[] =>
  rules.flatMap(({ roles }, rule) => (roles ?? []).map((roleId, at) => ({ path: `rules/${rule}/roles/${at}`, roleId })))
