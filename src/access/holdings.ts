import { refuse } from '../errors.ts'
import type { Reader } from '../storage/database.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'
import { readHoldings, type Holdings, type UserHoldings } from './holdings-store.ts'
import { groupPrincipals, mayName } from './principal-groups.ts'
import type { Role } from './role.ts'
import type { SshRules } from './ssh-rules.ts'

/** What a role gives to those who have it. */
export const holdingsOf = ({
  name,
  permissions,
  principals,
  ssh,
}: Pick<Role, 'name' | 'permissions' | 'principals' | 'ssh'>): Holdings => ({
  permissions: new Set(permissions),
  grants: [{ name, principals, ssh, mayIssue: permissions.includes('ssh:cert:issue') }],
})

const isAdministrator = ({ roleIds }: UserHoldings): boolean => roleIds.has(ADMIN_ROLE)

/**
 * Permissions that the caller does not hold, and principals that the caller's own certificates would not carry, or not
 * under rules as loose as these. A role with the permission to get certificates gives everybody their own name: it is
 * compared with what the caller's own name is given under.
 */
function listMore(held: UserHoldings, { permissions, grants }: Holdings): string[] {
  const groups = groupPrincipals(held.username, held.grants)
  const isOwn = (ssh: SshRules | null) => mayName(groups, held.username, ssh)
  return [
    ...permissions.difference(held.permissions),
    ...grants.flatMap(({ principals, ssh }) =>
      principals.filter((name) => name !== held.username && !mayName(groups, name, ssh)),
    ),
    ...grants.flatMap(({ name, mayIssue, ssh }) =>
      mayIssue && held.permissions.has('ssh:cert:issue') && !isOwn(ssh) ? [`the SSH rules of ${name}`] : [],
    ),
  ]
}

/** Users can give only what they hold. Administrators hold every permission, and may give any principal. */
export function refuseGivingMore(held: UserHoldings, given: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, given)
  if (more.length > 0) {
    refuse('forbidden', `You can't give what you don't hold yourself: ${more.toSorted().join(', ')}.`)
  }
}

/** Users can't change or delete a role that holds more than they do. */
export function refuseChangingStrongerRole(held: UserHoldings, role: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, role)
  if (more.length > 0) refuse('forbidden', `This role holds more than you do: ${more.toSorted().join(', ')}.`)
}

/** Users can't change a person who holds more than they do: they could take over that account, and what it holds. */
export async function refuseIfHoldsMore(db: Reader, held: UserHoldings, userId: string): Promise<void> {
  if (userId === held.userId || isAdministrator(held)) return
  const more = listMore(held, await readHoldings(db, userId))
  if (more.length > 0) refuse('forbidden', `This person holds more than you do: ${more.toSorted().join(', ')}.`)
}

export function refuseOwnRole(held: UserHoldings, userId: string): void {
  if (userId === held.userId && !isAdministrator(held)) {
    refuse('forbidden', "You can't give yourself a role. Ask somebody else who may assign roles.")
  }
}

/** Applications are told attributes as claims, and may give access by them. Nobody changes their own, except administrators. */
export function refuseOwnAttributes(
  held: UserHoldings,
  { userId, roleId }: { userId?: string; roleId?: string },
): void {
  const isOwn = userId === held.userId || (roleId !== undefined && held.roleIds.has(roleId))
  if (isOwn && !isAdministrator(held))
    refuse('forbidden', 'These attributes are your own. Somebody else has to change them.')
}

/** A username is a principal of SSH certificates. Users who may get them can't change their own, except administrators. */
export function refuseOwnUsername(held: UserHoldings, userId: string): void {
  if (userId === held.userId && !isAdministrator(held) && held.permissions.has('ssh:cert:issue')) {
    refuse('forbidden', 'Your username opens UNIX accounts through SSH certificates. Somebody else has to change it.')
  }
}

/** Nobody opens an application or a host for themselves, except administrators. Null admits everybody. */
export function refuseAdmittingOneself(held: UserHoldings, before: string[] | null, after: string[] | null): void {
  const admits = (roles: string[] | null) => roles === null || roles.some((id) => held.roleIds.has(id))
  if (!isAdministrator(held) && admits(after) && !admits(before)) {
    refuse('forbidden', 'This would let you in. Somebody else has to do it.')
  }
}
