import { refuse } from '../../errors.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'
import { mustConfirmFirst } from '../users/email-address.ts'
import { attributesOf, unpackAttributes, type AttributeValue, type Attributes } from './attributes.ts'
import { groupPrincipals, mayCarry, mayName, type RoleGrant } from './principal-groups.ts'
import { roleErrors } from './role-errors.ts'
import { packedPermissions } from './role-store.ts'
import type { Role } from './role.ts'
import { giftsOf, limitsOf, readGifts, readSshRules, type SshRules } from './ssh-rules.ts'
import { joinSudo, sudoBeyond } from './sudo.ts'

/** What a user has through roles, or what one role gives: permissions, what SSH certificates contain, and attributes. */
export interface Holdings {
  permissions: ReadonlySet<string>
  grants: RoleGrant[]
  attributes: ReadonlyMap<string, AttributeValue>
}

/** A role of a user, by what applications are told of it. */
interface OwnRole {
  id: string
  name: string
  attributes: Attributes
}

export interface UserHoldings extends Holdings {
  userId: string
  username: string
  roleIds: ReadonlySet<string>
  roles: OwnRole[]
  /** Those of the account itself; `attributes` are these and those of the roles. */
  ownAttributes: Attributes
  /** Has to confirm the address before it gives access anywhere. */
  mustConfirm: boolean
}

/** What a user has through roles. Read for every decision, never cached. */
export async function readHoldings(db: Reader, userId: string): Promise<UserHoldings> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .where('user_roles.user_id', '=', userId)
    .select(['users.preferred_username', 'users.attributes as own', mustConfirmFirst.as('mustConfirm')])
    .select(['roles.id', 'roles.name', 'roles.principals', 'roles.ssh', 'roles.ssh_gifts'])
    .select('roles.attributes')
    .select(packedPermissions.as('permissions'))
    .orderBy('roles.id')
    .execute()
  const roles = rows.map(({ id, name, attributes }) => ({ id, name, attributes: unpackAttributes(attributes) }))
  const ownAttributes = unpackAttributes(rows[0]?.own ?? null)
  const permissionsOf = ({ permissions }: { permissions: string | null }) => permissions?.split(' ') ?? []
  return {
    userId,
    username: rows[0]?.preferred_username ?? '',
    roleIds: new Set(rows.map(({ id }) => id)),
    roles,
    ownAttributes,
    mustConfirm: Boolean(rows[0]?.mustConfirm),
    permissions: new Set(rows.flatMap(permissionsOf)),
    grants: rows.map((row) => ({
      name: row.name,
      principals: readTextList(row.principals),
      ssh: readSshRules(row.ssh),
      mayIssue: permissionsOf(row).includes('ssh:cert:issue'),
      gifts: readGifts(row.ssh_gifts),
    })),
    attributes: attributesOf(roles, ownAttributes),
  }
}

/** What a role gives to those who have it. */
export const holdingsOf = ({
  name,
  permissions,
  principals,
  ssh,
  attributes,
}: Pick<Role, 'name' | 'permissions' | 'principals' | 'ssh' | 'attributes'>): Holdings => ({
  permissions: new Set(permissions),
  grants: [
    { name, principals, ssh: limitsOf(ssh), mayIssue: permissions.includes('ssh:cert:issue'), gifts: giftsOf(ssh) },
  ],
  attributes: new Map(Object.entries(attributes)),
})

export const isAdministrator = ({ roleIds }: Pick<UserHoldings, 'roleIds'>): boolean => roleIds.has(ADMIN_ROLE)

/**
 * What is compared. Whoever could take an account over would have all that it has: permissions, what its certificates open,
 * and the attributes that applications are told. Whoever only ends something gains none of it: then permissions alone count.
 */
export type Counted = 'permissions' | 'access' | 'everything'

/**
 * Permissions and sudo that the caller does not hold, and principals and extensions that the caller's own certificates would not carry, or
 * not under rules as loose as these. A role with the permission to get certificates gives everybody their own name: it is
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
    ...grants.flatMap(({ ssh, gifts }) =>
      gifts.customExtensions.flatMap((each) => (mayCarry(groups, each, ssh) ? [] : [`extension ${each.name}`])),
    ),
    ...sudoBeyond(sudoOf(grants), sudoOf(held.grants)),
  )
  if (counted === 'access') return more
  return [
    ...more,
    ...[...attributes].flatMap(([name, value]) =>
      isWithin(value, held.attributes.get(name)) ? [] : [`attribute ${name}`],
    ),
  ]
}

const sudoOf = (grants: RoleGrant[]) => joinSudo(grants.map(({ gifts }) => gifts.sudo))

/** Whether an application that is told the one value learns nothing from the other. */
const isWithin = (value: AttributeValue, own: AttributeValue | undefined): boolean =>
  Array.isArray(value) && Array.isArray(own) ? value.every((each) => own.includes(each)) : value === own

/** Users can give only what they hold. Administrators hold every permission, and may give any principal. */
export function refuseGivingMore(held: UserHoldings, given: Holdings, counted: Counted): void {
  const more = isAdministrator(held) ? [] : listMore(held, given, counted)
  if (more.length > 0) {
    refuse(roleErrors.gives_more_than_held({ more: more.toSorted().join(', ') }))
  }
}

/** Users can't change or delete a role that holds more than they do. */
export function refuseChangingStrongerRole(held: UserHoldings, role: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, role, 'access')
  if (more.length > 0) refuse(roleErrors.role_holds_more({ more: more.toSorted().join(', ') }))
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
  if (more.length > 0) refuse(roleErrors.person_holds_more({ more: more.toSorted().join(', ') }))
}
