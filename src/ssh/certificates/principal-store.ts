import type { RoleGrant } from '../../identity/access/principal-groups.ts'
import { readSshRules } from '../../identity/access/ssh-rules.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values, writeStatement } from '../../storage/statement.ts'
import type { Permission } from '../../vocabulary/permissions.ts'

export const ISSUE_PERMISSION: Permission = 'ssh:cert:issue'

interface GrantRow {
  id: string
  name: string
  principals: string
  ssh: string | null
}

const rolesOf = (db: Reader, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select(['roles.id', 'roles.name', 'roles.principals', 'roles.ssh'])
    .where('user_roles.user_id', '=', value('userId'))

const rolesWithPrincipals = (db: Reader, value: Values<{ userId: string }>) =>
  rolesOf(db, value).where('roles.principals', '!=', '[]')

const rolesWithPermission = (db: Reader, value: Values<{ userId: string; permission: Permission }>) =>
  rolesOf(db, value)
    .innerJoin('role_permissions', 'role_permissions.role_id', 'roles.id')
    .where('role_permissions.permission', '=', value('permission'))

const foundWithPrincipals = readStatement(rolesWithPrincipals)
const foundWithPermission = readStatement(rolesWithPermission)
const heldWithPrincipals = writeStatement((db, value: Values<{ userId: string }>) =>
  rolesWithPrincipals(db, value).forKeyShare(),
)
const heldWithPermission = writeStatement((db, value: Values<{ userId: string; permission: Permission }>) =>
  rolesWithPermission(db, value).forKeyShare(),
)

/** What the roles of a user give to certificates. */
export const listRoleGrants = async (db: Reader, userId: string): Promise<RoleGrant[]> =>
  toGrants(
    await foundWithPrincipals(db, { userId }),
    await foundWithPermission(db, { userId, permission: ISSUE_PERMISSION }),
  )

/**
 * The same, and they stay so until the transaction ends. Rows are locked in the weakest way, so that no other change of a
 * role has to wait.
 */
export const lockRoleGrants = async (trx: Trx, userId: string): Promise<RoleGrant[]> =>
  toGrants(
    ...(await Promise.all([
      heldWithPrincipals(trx, { userId }),
      heldWithPermission(trx, { userId, permission: ISSUE_PERMISSION }),
    ])),
  )

function toGrants(withPrincipals: GrantRow[], withPermission: GrantRow[]): RoleGrant[] {
  const issuing = new Set(withPermission.map(({ id }) => id))
  const rows = new Map([...withPermission, ...withPrincipals].map((row) => [row.id, row]))
  return [...rows.values()].map((row) => toGrant(row, issuing.has(row.id)))
}

const toGrant = ({ name, principals, ssh }: Omit<GrantRow, 'id'>, mayIssue: boolean): RoleGrant => ({
  name,
  principals: readTextList(principals),
  ssh: readSshRules(ssh),
  mayIssue,
})

const username = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('preferred_username as name').where('id', '=', value('userId')),
)

export const findPreferredUsername = async (db: Reader, userId: string): Promise<string | undefined> =>
  (await username(db, { userId }))[0]?.name

export interface RoleHolder {
  id: string
  preferredUsername: string
  grants: RoleGrant[]
}

/** What the roles of these users give to certificates. Users that do not exist or have no role are absent. */
export async function listRoleHolders(db: Reader, userIds: string[]): Promise<RoleHolder[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', (join) =>
      join.onRef('role_permissions.role_id', '=', 'roles.id').on('role_permissions.permission', '=', ISSUE_PERMISSION),
    )
    .select(['users.id', 'users.preferred_username', 'roles.name', 'roles.principals', 'roles.ssh'])
    .select('role_permissions.permission')
    .where('users.id', 'in', userIds)
    .execute()
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, roles]) => ({
    id,
    preferredUsername: roles[0]?.preferred_username ?? '',
    grants: roles.map((role) => toGrant(role, role.permission !== null)),
  }))
}
