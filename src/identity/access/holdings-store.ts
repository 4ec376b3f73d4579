import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { mustConfirmFirst } from '../users/allowed-email.ts'
import { type AttributeValue, type Attributes, attributesOf, unpackAttributes } from './attributes.ts'
import type { RoleGrant } from './principal-groups.ts'
import { packedPermissions } from './role-store.ts'
import { readSshRules } from './ssh-rules.ts'

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
    .select(['roles.id', 'roles.name', 'roles.principals', 'roles.ssh', 'roles.attributes'])
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
    })),
    attributes: attributesOf(roles, ownAttributes),
  }
}
