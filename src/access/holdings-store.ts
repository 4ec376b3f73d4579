import type { Reader } from '../storage/database.ts'
import { readTextList } from '../storage/text-list.ts'

/** What a user has through roles, or what one role gives: permissions, and principals of SSH certificates. */
export interface Holdings {
  permissions: ReadonlySet<string>
  principals: ReadonlySet<string>
}

export interface UserHoldings extends Holdings {
  userId: string
  /** A principal of the user's certificates, besides those of roles. */
  username: string
  roleIds: ReadonlySet<string>
}

/** What a user has through roles. Read for every decision, never cached. */
export async function readHoldings(db: Reader, userId: string): Promise<UserHoldings> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', 'role_permissions.role_id', 'roles.id')
    .where('user_roles.user_id', '=', userId)
    .select(['users.preferred_username', 'roles.id', 'roles.principals', 'role_permissions.permission'])
    .execute()
  return {
    userId,
    username: rows[0]?.preferred_username ?? '',
    roleIds: new Set(rows.map(({ id }) => id)),
    permissions: new Set(rows.flatMap(({ permission }) => permission ?? [])),
    principals: new Set(rows.flatMap(({ principals }) => readTextList(principals))),
  }
}
