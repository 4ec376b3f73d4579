import { sql, type ExpressionBuilder, type Updateable } from 'kysely'
import { refuse } from '../../errors.ts'
import { toPage, type Position } from '../../platform/http/cursor.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import { PERMISSIONS, type Permission } from '../../vocabulary/permissions.ts'
import type { RoleDemand } from '../../vocabulary/role-demands.ts'
import { accountMayAct } from '../users/account-state.ts'
import { packAttributes, unpackAttributes, type Attributes } from './attributes.ts'
import type { CheckedTrx } from './checked-trx.ts'
import { roleErrors } from './role-errors.ts'
import type { NewRole, Role } from './role.ts'
import { readRoleSsh, writeRoleSsh } from './ssh-rules.ts'

/** The permissions of a role of a query, separated by spaces, which none of them holds: so a role is one row. */
export const packedPermissions = sql<string | null>`(
  select string_agg(role_permissions.permission, ' ') from role_permissions where role_permissions.role_id = roles.id)`

const roles = (db: Reader) =>
  db
    .selectFrom('roles')
    .select(['roles.id', 'roles.name', 'roles.description', 'roles.principals', 'roles.ssh'])
    .select(['roles.ssh_gifts', 'roles.built_in', 'roles.created_at', 'roles.attributes', 'roles.requires'])
    .select(['roles.requires_next', 'roles.requires_from'])
    .select(packedPermissions.as('permissions'))

type RoleRow = Awaited<ReturnType<ReturnType<typeof roles>['executeTakeFirstOrThrow']>>

const toRole = (row: RoleRow): Role => ({
  id: row.id,
  name: row.name,
  description: row.description,
  principals: readTextList(row.principals),
  ssh: readRoleSsh(row),
  builtIn: row.built_in === 1,
  permissions: row.permissions === null ? [] : row.permissions.split(' ').toSorted(),
  attributes: unpackAttributes(row.attributes),
  requires: row.requires,
  requiresNext:
    row.requires_next === null || row.requires_from === null
      ? null
      : { requires: row.requires_next, from: row.requires_from },
})

/** Whether a role of the user has the permission, as a column of a query that finds the user. */
export const userHolds = (permission: string) => (eb: ExpressionBuilder<Schema, 'users'>) =>
  eb.exists(
    eb
      .selectFrom('user_roles')
      .innerJoin('role_permissions', 'role_permissions.role_id', 'user_roles.role_id')
      .select('role_permissions.permission')
      .whereRef('user_roles.user_id', '=', 'users.id')
      .where('role_permissions.permission', '=', permission),
  )

/** Those whose roles have the permission and whose account may act, in the order of their ids. */
export async function listHolders(db: Reader, permission: Permission, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('users.id')
    .where('users.id', 'in', (eb) =>
      eb
        .selectFrom('role_permissions')
        .innerJoin('user_roles', 'user_roles.role_id', 'role_permissions.role_id')
        .select('user_roles.user_id')
        .where('role_permissions.permission', '=', permission),
    )
    .where(accountMayAct)
    .orderBy('users.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Oldest first, so the built-in ones lead. */
export async function listRoles(db: Reader, limit: number, after: Position | undefined) {
  const rows = await roles(db)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(roles.created_at, roles.id) > (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('roles.created_at')
    .orderBy('roles.id')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.created_at, row.id], toRole)
}

async function findRole(db: Reader, id: string): Promise<Role | undefined> {
  const row = await roles(db).where('roles.id', '=', id).executeTakeFirst()
  return row && toRole(row)
}

/** The id of the role with this name; upper and lower case are not distinguished. */
export async function findRoleByName(db: Reader, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('roles')
    .select('id')
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .executeTakeFirst()
  return row?.id
}

/** Whether one of these roles has a permission. */
export async function givesPermissions(db: Reader, roleIds: string[]): Promise<boolean> {
  const query = db
    .selectFrom('role_permissions')
    .select('role_id')
    .where('role_id', 'in', ['', ...roleIds])
    .limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function listRolesOf(db: Reader, userId: string): Promise<Role[]> {
  const rows = await roles(db)
    .innerJoin('user_roles', 'user_roles.role_id', 'roles.id')
    .where('user_roles.user_id', '=', userId)
    .orderBy('roles.created_at')
    .orderBy('roles.id')
    .execute()
  return rows.map(toRole)
}

/** Adds the built-in roles that are missing, and the permissions that the administrator's role does not have yet. */
export async function addBuiltInRoles(trx: Trx, now: number): Promise<void> {
  const builtIn = { principals: '[]', built_in: 1, created_at: now }
  await trx
    .insertInto('roles')
    .values([
      { id: ADMIN_ROLE, name: 'admin', description: 'May do everything.', ...builtIn },
      { id: USER_ROLE, name: 'user', description: 'Everyone with an account.', ...builtIn },
    ])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx
    .insertInto('role_permissions')
    .values(PERMISSIONS.map((permission) => ({ role_id: ADMIN_ROLE, permission })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Fails as a duplicate when another role has the name. */
export async function addRole(trx: CheckedTrx, id: string, role: NewRole, now: number): Promise<void> {
  const { name, description = '', principals = [], ssh, permissions = [], attributes = {}, requires = 'none' } = role
  await trx
    .insertInto('roles')
    .values({
      id,
      name,
      description,
      principals: JSON.stringify(principals),
      ...writeRoleSsh(ssh ?? null),
      built_in: 0,
      created_at: now,
      attributes: packAttributes(attributes),
      requires,
      requires_since: now,
    })
    .execute()
  for (const permission of permissions) await addPermission(trx, id, permission)
  trx.signal('access-changed', null)
}

/** Fails as a duplicate when another role has the name. */
export async function updateRole(trx: CheckedTrx, id: string, change: Updateable<Schema['roles']>): Promise<void> {
  if (Object.keys(change).length === 0) return
  await trx.updateTable('roles').set(change).where('id', '=', id).execute()
  trx.signal('access-changed', null)
}

/** Roles whose planned demand begins. */
export const listDueDemands = (db: Reader, now: number): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('roles')
    .select(['id', 'name'])
    .where('requires_from', 'is not', null)
    .where('requires_from', '<=', now)
    .execute()

/** Returns what the role demands from now on; undefined when nothing is planned for it by this time. */
export async function beginPlannedDemand(trx: CheckedTrx, id: string, now: number): Promise<RoleDemand | undefined> {
  const row = await trx
    .updateTable('roles')
    .set((eb) => ({
      requires: eb.fn.coalesce('requires_next', 'requires'),
      requires_since: now,
      requires_next: null,
      requires_from: null,
    }))
    .where('id', '=', id)
    .where('requires_from', '<=', now)
    .returning('requires')
    .executeTakeFirst()
  if (row) trx.signal('access-changed', null)
  return row?.requires
}

/**
 * Rows that refer to the role are deleted before the role itself. Issuing a certificate locks these rows in the same order,
 * to avoid deadlocks.
 */
export async function deleteRole(trx: CheckedTrx, id: string): Promise<void> {
  await trx.deleteFrom('user_roles').where('role_id', '=', id).execute()
  await trx.deleteFrom('role_permissions').where('role_id', '=', id).execute()
  await trx.deleteFrom('roles').where('id', '=', id).where('built_in', '=', 0).execute()
  trx.signal('access-changed', null)
}

/** Waits for certificates that are being issued with what this role gives, and lets none begin until the commit. */
export async function lockPrincipalsOfRole(trx: Trx, id: string): Promise<void> {
  await trx.selectFrom('roles').select('id').where('id', '=', id).forUpdate().execute()
}

export async function holdsRole(db: Reader, userId: string, roleId: string): Promise<boolean> {
  const query = db
    .selectFrom('user_roles')
    .select('role_id')
    .where('user_id', '=', userId)
    .where('role_id', '=', roleId)
  return (await query.executeTakeFirst()) !== undefined
}

/** The users who have this role, up to the limit. */
export async function listHolderIds(db: Reader, roleId: string, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('user_roles').select('user_id').where('role_id', '=', roleId).limit(limit).execute()
  return rows.map(({ user_id }) => user_id)
}

/** False when the role had it already. */
export async function addPermission(trx: CheckedTrx, roleId: string, permission: Permission): Promise<boolean> {
  const rows = await trx
    .insertInto('role_permissions')
    .values({ role_id: roleId, permission })
    .onConflict((conflict) => conflict.doNothing())
    .returning('role_id')
    .execute()
  if (rows.length > 0) trx.signal('access-changed', null)
  return rows.length > 0
}

/** False when the role did not have it. */
export async function deletePermission(trx: CheckedTrx, roleId: string, permission: string): Promise<boolean> {
  const rows = await trx
    .deleteFrom('role_permissions')
    .where('role_id', '=', roleId)
    .where('permission', '=', permission)
    .returning('role_id')
    .execute()
  if (rows.length > 0) trx.signal('access-changed', null)
  return rows.length > 0
}

/** False when the user had it already. Fails as a missing reference when the user or the role is gone. */
export async function addAssignment(
  trx: CheckedTrx,
  { userId, roleId, now }: { userId: string; roleId: string; now: number },
): Promise<boolean> {
  const rows = await trx
    .insertInto('user_roles')
    .values({ user_id: userId, role_id: roleId, assigned_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('role_id')
    .execute()
  if (rows.length > 0) trx.signal('access-changed', null)
  return rows.length > 0
}

/** False when the user did not have it. */
export async function deleteAssignment(trx: CheckedTrx, userId: string, roleId: string): Promise<boolean> {
  const rows = await trx
    .deleteFrom('user_roles')
    .where('user_id', '=', userId)
    .where('role_id', '=', roleId)
    .returning('role_id')
    .execute()
  if (rows.length > 0) trx.signal('access-changed', null)
  return rows.length > 0
}

const lockHeldPermission = writeStatement((db, value: Values<{ userId: string; permission: Permission }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('role_permissions', 'role_permissions.role_id', 'user_roles.role_id')
    .select('role_permissions.permission')
    .where('user_roles.user_id', '=', value('userId'))
    .where('role_permissions.permission', '=', value('permission'))
    // A literal: SQLite prepares a statement again for each value of a limit.
    .limit(sql.lit(1))
    .forShare(),
)

/** Whether a role gives this user the permission. If so, it stays so until the transaction ends. */
export const lockPermission = async (trx: Trx, userId: string, permission: Permission): Promise<boolean> =>
  (await lockHeldPermission(trx, { userId, permission })).length > 0

/** Replaces the attributes of a person. */
export async function replaceAttributes(trx: CheckedTrx, userId: string, attributes: Attributes): Promise<void> {
  await trx
    .updateTable('users')
    .set({ attributes: packAttributes(attributes) })
    .where('id', '=', userId)
    .execute()
}

export const requireRole = async (db: Reader, id: string): Promise<Role> =>
  (await findRole(db, id)) ?? refuse(roleErrors.no_such_role())
