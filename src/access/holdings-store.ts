import type { Reader } from '../storage/database.ts'
import { readTextList } from '../storage/text-list.ts'
import type { RoleGrant } from './principal-groups.ts'
import { readSshRules } from './ssh-rules.ts'

/** What a user has through roles, or what one role gives: permissions, and what SSH certificates contain. */
export interface Holdings {
  permissions: ReadonlySet<string>
  grants: RoleGrant[]
}

export interface UserHoldings extends Holdings {
  userId: string
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
    .select(['users.preferred_username', 'roles.id', 'roles.name', 'roles.principals', 'roles.ssh'])
    .select('role_permissions.permission')
    .execute()
  return {
    userId,
    username: rows[0]?.preferred_username ?? '',
    roleIds: new Set(rows.map(({ id }) => id)),
    permissions: new Set(rows.flatMap(({ permission }) => permission ?? [])),
    grants: [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofRole) => {
      const [role] = ofRole
      return role
        ? [
            toGrant(
              role,
              ofRole.flatMap(({ permission }) => permission ?? []),
            ),
          ]
        : []
    }),
  }
}

const toGrant = (role: { name: string; principals: string; ssh: string | null }, permissions: string[]): RoleGrant => ({
  name: role.name,
  principals: readTextList(role.principals),
  ssh: readSshRules(role.ssh),
  mayIssue: permissions.includes('ssh:cert:issue'),
})
