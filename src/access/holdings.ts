import { refuse } from '../errors.ts'
import type { Db } from '../storage/schema.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'
import { readPrincipals } from './role.ts'

/** What somebody has through roles, or what a role carries: permissions, and UNIX accounts that certificates open. */
export interface Holdings {
  permissions: ReadonlySet<string>
  principals: ReadonlySet<string>
}

export interface UserHoldings extends Holdings {
  userId: string
  roleIds: ReadonlySet<string>
}

/** Read afresh wherever it decides something, never remembered. */
export async function findHoldings(db: Db, userId: string): Promise<UserHoldings> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', 'role_permissions.role_id', 'roles.id')
    .where('user_roles.user_id', '=', userId)
    .select(['roles.id', 'roles.principals', 'role_permissions.permission'])
    .execute()
  return {
    userId,
    roleIds: new Set(rows.map(({ id }) => id)),
    permissions: new Set(rows.flatMap(({ permission }) => permission ?? [])),
    principals: new Set(rows.flatMap(({ principals }) => readPrincipals(principals))),
  }
}

const missing = (held: ReadonlySet<string>, wanted: Iterable<string>): string[] =>
  [...wanted].filter((each) => !held.has(each)).toSorted()

/** Nobody gives what they do not hold themselves. UNIX accounts are the say of whoever may write roles. */
export function refuseGivingMore(caller: UserHoldings, given: Holdings): void {
  const principals = caller.permissions.has('roles:write') ? [] : missing(caller.principals, given.principals)
  const more = [...missing(caller.permissions, given.permissions), ...principals]
  if (more.length > 0) refuse('forbidden', `You can't give what you don't hold yourself: ${more.join(', ')}.`)
}

/** Nobody changes a person who holds more: taking over that account would be taking what it holds. */
export async function refuseChangingMore(db: Db, caller: UserHoldings, userId: string): Promise<void> {
  if (userId === caller.userId || caller.roleIds.has(ADMIN_ROLE)) return
  const other = await findHoldings(db, userId)
  const more = [...missing(caller.permissions, other.permissions), ...missing(caller.principals, other.principals)]
  if (more.length > 0) refuse('forbidden', `This person holds more than you do: ${more.join(', ')}.`)
}

/**
 * Whoever may write roles decides which UNIX accounts a role opens, but not for themselves: that would be a way from
 * administering roles to root on every host. Administrators may do everything.
 */
export function refuseRaisingOneself(caller: UserHoldings, principals: Iterable<string>): void {
  if (caller.roleIds.has(ADMIN_ROLE)) return
  const more = missing(caller.principals, principals)
  if (more.length > 0) refuse('forbidden', `You can't give yourself what you don't hold: ${more.join(', ')}.`)
}
