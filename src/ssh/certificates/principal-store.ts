import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values, writeStatement } from '../../storage/statement.ts'
import { readTextList } from '../../storage/text-list.ts'
import type { Permission } from '../../vocabulary/permissions.ts'

const rolePrincipals = (db: Reader, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select('roles.principals')
    .where('user_roles.user_id', '=', value('userId'))
    .where('roles.principals', '!=', '[]')

const found = readStatement(rolePrincipals)
const held = writeStatement((db, value: Values<{ userId: string }>) => rolePrincipals(db, value).forKeyShare())

const principalsOf = (rows: { principals: string }[]): string[] =>
  rows.flatMap(({ principals }) => readTextList(principals))

/** The principals of all roles of a user. */
export const listRolePrincipals = async (db: Reader, userId: string): Promise<string[]> =>
  principalsOf(await found(db, { userId }))

/**
 * The same, and they stay so until the transaction ends. Roles are locked in the weakest way, so that no other change of a
 * role has to wait.
 */
export const holdRolePrincipals = async (trx: Trx, userId: string): Promise<string[]> =>
  principalsOf(await held(trx, { userId }))

const username = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('preferred_username as name').where('id', '=', value('userId')),
)

export const findPreferredUsername = async (db: Reader, userId: string): Promise<string | undefined> =>
  (await username(db, { userId }))[0]?.name

export interface RoleHolder {
  id: string
  preferredUsername: string
  /** Of all roles that the user holds. */
  principals: string[]
  /** Whether one of the roles has the permission. */
  isPermitted: boolean
}

/** What the roles of these users give. Users that do not exist or have no role are absent. */
export async function listRoleHolders(db: Reader, userIds: string[], permission: Permission): Promise<RoleHolder[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', (join) =>
      join.onRef('role_permissions.role_id', '=', 'roles.id').on('role_permissions.permission', '=', permission),
    )
    .select(['users.id', 'users.preferred_username', 'roles.principals', 'role_permissions.permission'])
    .where('users.id', 'in', userIds)
    .execute()
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, roles]) => ({
    id,
    preferredUsername: roles[0]?.preferred_username ?? '',
    principals: principalsOf(roles),
    isPermitted: roles.some((role) => role.permission !== null),
  }))
}
