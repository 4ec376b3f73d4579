import { refuse } from '../../errors.ts'
import type { Reader } from '../../storage/database.ts'
import type { AttributeValue } from './attributes.ts'
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
  attributes,
}: Pick<Role, 'name' | 'permissions' | 'principals' | 'ssh' | 'attributes'>): Holdings => ({
  permissions: new Set(permissions),
  grants: [{ name, principals, ssh, mayIssue: permissions.includes('ssh:cert:issue') }],
  attributes: new Map(Object.entries(attributes)),
})

export const isAdministrator = ({ roleIds }: Pick<UserHoldings, 'roleIds'>): boolean => roleIds.has(ADMIN_ROLE)

/**
 * What is compared. Whoever could take an account over would have all that it has: permissions, what its certificates open,
 * and the attributes that applications are told. Whoever only ends something gains none of it: then permissions alone count.
 */
export type Counted = 'permissions' | 'access' | 'everything'

/**
 * Permissions that the caller does not hold, and principals that the caller's own certificates would not carry, or not
 * under rules as loose as these. A role with the permission to get certificates gives everybody their own name: it is
 * compared with what the caller's own name is given under.
 */
export function listMore(
  held: UserHoldings,
  { permissions, grants, attributes }: Holdings,
  counted: Counted,
): string[] {
  const more = [...permissions.difference(held.permissions)]
  if (counted === 'permissions') return more
  const groups = groupPrincipals(held.username, held.grants)
  const isOwn = (ssh: SshRules | null) => mayName(groups, held.username, ssh)
  more.push(
    ...grants.flatMap(({ principals, ssh }) =>
      principals.filter((name) => name !== held.username && !mayName(groups, name, ssh)),
    ),
    ...grants.flatMap(({ name, mayIssue, ssh }) =>
      mayIssue && held.permissions.has('ssh:cert:issue') && !isOwn(ssh) ? [`the SSH rules of ${name}`] : [],
    ),
  )
  if (counted === 'access') return more
  return [
    ...more,
    ...[...attributes].flatMap(([name, value]) =>
      isWithin(value, held.attributes.get(name)) ? [] : [`attribute ${name}`],
    ),
  ]
}

/** Whether an application that is told the one value learns nothing from the other. */
const isWithin = (value: AttributeValue, own: AttributeValue | undefined): boolean =>
  Array.isArray(value) && Array.isArray(own) ? value.every((each) => own.includes(each)) : value === own

/** Users can give only what they hold. Administrators hold every permission, and may give any principal. */
export function refuseGivingMore(held: UserHoldings, given: Holdings, counted: Counted): void {
  const more = isAdministrator(held) ? [] : listMore(held, given, counted)
  if (more.length > 0) {
    refuse('forbidden', `You can't give what you don't hold yourself: ${more.toSorted().join(', ')}.`)
  }
}

/** Users can't change or delete a role that holds more than they do. */
export function refuseChangingStrongerRole(held: UserHoldings, role: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, role, 'access')
  if (more.length > 0) refuse('forbidden', `This role holds more than you do: ${more.toSorted().join(', ')}.`)
}

/** Users can't change a person who holds more than they do: they could take over that account, and what it holds. */
export async function refuseIfHoldsMore(
  db: Reader,
  held: UserHoldings,
  userId: string,
  counted: Counted,
): Promise<void> {
  if (userId === held.userId || isAdministrator(held)) return
  const more = listMore(held, await readHoldings(db, userId), counted)
  if (more.length > 0) refuse('forbidden', `This person holds more than you do: ${more.toSorted().join(', ')}.`)
}
