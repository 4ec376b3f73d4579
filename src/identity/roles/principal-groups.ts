import { isPrincipal } from '../../platform/openssh/certificate.ts'
import { type CustomExtension, isSameExtension } from './custom-extensions.ts'
import {
  criticalOptionsOf,
  extensionsOf,
  isAtLeastAsLoose,
  optionsKey,
  type SshGifts,
  type SshRules,
} from './ssh-rules.ts'

/** What one role of a user gives to SSH certificates. */
export interface RoleGrant {
  name: string
  principals: string[]
  ssh: SshRules | null
  /** Whether it has the permission to get certificates. Then it also gives the user's own name. */
  mayIssue: boolean
  gifts: SshGifts
}

/** Principals that one certificate may name together, and the rules that it follows. */
export interface PrincipalGroup {
  /** The username first, then the others, sorted. */
  principals: string[]
  /** The critical options that all of its roles have, the longest of their lifetimes, and all of their extensions. */
  rules: SshRules
  /** The names of the roles, sorted. */
  roles: string[]
  /** By the role that gives them. */
  customExtensions: (CustomExtension & { role: string })[]
}

/**
 * The principals of a user, in groups with the same critical options: a certificate never names a principal without the
 * options of the role that gives it. A principal that roles with different options give is in several groups. Groups with
 * fewer options come first.
 */
export function groupPrincipals(username: string, grants: RoleGrant[]): PrincipalGroup[] {
  const giving = grants.filter(({ principals, mayIssue }) => principals.length > 0 || mayIssue)
  const alike = Map.groupBy(grants, ({ ssh }) => optionsKey(ssh))
  const groups = [...Map.groupBy(giving, ({ ssh }) => optionsKey(ssh))].map(([key, roles]) =>
    toGroup(username, roles.toSorted(byName), alike.get(key) ?? []),
  )
  return groups
    .filter(({ principals }) => principals.length > 0)
    .toSorted((a, b) => criticalOptionsOf(a.rules).size - criticalOptionsOf(b.rules).size || byText(a.roles, b.roles))
}

/** A role that gives no principal loosens nothing, so of its rules only the critical options count. */
function toGroup(username: string, roles: RoleGrant[], alike: RoleGrant[]): PrincipalGroup {
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
    customExtensions: alike
      .toSorted(byName)
      .flatMap(({ name: role, gifts }) => gifts.customExtensions.map((each) => ({ ...each, role }))),
  }
}

const joinExtensions = (roles: RoleGrant[]) => [...new Set(roles.flatMap(({ ssh }) => extensionsOf(ssh)))].toSorted()

const byName = (a: RoleGrant, b: RoleGrant): number => (a.name < b.name ? -1 : 1)
const byText = (a: string[], b: string[]): number => (a.join('\n') < b.join('\n') ? -1 : 1)

/** Whether a certificate of these groups may name the principal under rules that are no tighter than these. */
export const mayName = (groups: PrincipalGroup[], principal: string, rules: SshRules | null): boolean =>
  groups.some((group) => group.principals.includes(principal) && isAtLeastAsLoose(group.rules, rules))

/** Whether a certificate of these groups may have the extension under rules that are no tighter than these. */
export const mayCarry = (groups: PrincipalGroup[], extension: CustomExtension, rules: SshRules | null): boolean =>
  groups.some(
    (group) =>
      group.customExtensions.some((each) => isSameExtension(each, extension)) && isAtLeastAsLoose(group.rules, rules),
  )
