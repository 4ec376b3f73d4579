import { isPrincipal } from '../../platform/openssh/certificate.ts'
import { criticalOptionsOf, extensionsOf, isAtLeastAsLoose, optionsKey, type SshRules } from './ssh-rules.ts'

/** What one role of a user gives to SSH certificates. */
export interface RoleGrant {
  name: string
  principals: string[]
  ssh: SshRules | null
  /** Whether it has the permission to get certificates. Then it also gives the user's own name. */
  mayIssue: boolean
}

/** Principals that one certificate may name together, and the rules that it follows. */
export interface PrincipalGroup {
  /** The username first, then the others, sorted. */
  principals: string[]
  /** The critical options that all of its roles have, the longest of their lifetimes, and all of their extensions. */
  rules: SshRules
  /** The names of the roles, sorted. */
  roles: string[]
}

/**
 * The principals of a user, in groups with the same critical options: a certificate never names a principal without the
 * options of the role that gives it. A principal that roles with different options give is in several groups. Groups with
 * fewer options come first.
 */
export function groupPrincipals(username: string, grants: RoleGrant[]): PrincipalGroup[] {
  const giving = grants.filter(({ principals, mayIssue }) => principals.length > 0 || mayIssue)
  const groups = [...Map.groupBy(giving, ({ ssh }) => optionsKey(ssh)).values()].map((roles) =>
    toGroup(username, roles.toSorted(byName)),
  )
  return groups
    .filter(({ principals }) => principals.length > 0)
    .toSorted((a, b) => criticalOptionsOf(a.rules).size - criticalOptionsOf(b.rules).size || byText(a.roles, b.roles))
}

function toGroup(username: string, roles: RoleGrant[]): PrincipalGroup {
  const own = roles.some(({ mayIssue }) => mayIssue) ? [username] : []
  const names = roles.flatMap(({ principals }) => principals).toSorted()
  const { maxTtlSeconds: _ttl, extensions: _extensions, ...options } = roles[0]?.ssh ?? {}
  const longest = Math.max(...roles.map(({ ssh }) => ssh?.maxTtlSeconds ?? Infinity))
  return {
    principals: [...new Set([...own, ...names])].filter(isPrincipal),
    rules: {
      ...options,
      ...(longest === Infinity ? {} : { maxTtlSeconds: longest }),
      ...(roles.some(({ ssh }) => ssh?.extensions) ? { extensions: joinExtensions(roles) } : {}),
    },
    roles: roles.map(({ name }) => name),
  }
}

const joinExtensions = (roles: RoleGrant[]) => [...new Set(roles.flatMap(({ ssh }) => extensionsOf(ssh)))].toSorted()

const byName = (a: RoleGrant, b: RoleGrant): number => (a.name < b.name ? -1 : 1)
const byText = (a: string[], b: string[]): number => (a.join('\n') < b.join('\n') ? -1 : 1)

/** Whether a certificate of these groups may name the principal under rules that are no tighter than these. */
export const mayName = (groups: PrincipalGroup[], principal: string, rules: SshRules | null): boolean =>
  groups.some((group) => group.principals.includes(principal) && isAtLeastAsLoose(group.rules, rules))
