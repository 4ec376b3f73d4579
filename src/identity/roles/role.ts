import { Type } from 'typebox'
import { Nullable, OpenEnum, strict } from '../../platform/http/contracts.ts'
import { VisibleName, VisibleText } from '../../platform/http/visible-name.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { PERMISSIONS } from '../../vocabulary/permissions.ts'
import { ROLE_DEMANDS, type RoleDemand } from '../../vocabulary/role-demands.ts'
import { Attributes } from './attributes.ts'
import { giftsOf, RoleSsh } from './ssh-rules.ts'

export const PermissionName = Type.Enum(PERMISSIONS)

/** One that a role holds. */
export const HeldPermission = OpenEnum('PermissionName', PERMISSIONS)

export const MAX_ROLE_NAME = 64
export const RoleName = VisibleName({ maxLength: MAX_ROLE_NAME })

export const RoleDescription = VisibleText({ maxLength: 500 })

/** UNIX accounts on hosts. System accounts such as root are allowed here, unlike for usernames. */
export const Principals = Type.Array(Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}$' }), {
  maxItems: 32,
  uniqueItems: true,
  description: 'UNIX accounts that SSH certificates of people with this role open.',
})

export const RequiredOfHolders = Type.Enum(ROLE_DEMANDS, {
  description:
    'What the sign-in of who holds the role has to be: with a second step or a passkey, or with a passkey that verified its user. Sessions and tokens that are less are held to it at their next request.',
})

export const PlannedDemand = Type.Object(
  { requires: RequiredOfHolders, from: Type.Integer({ description: 'Epoch milliseconds.' }) },
  { title: 'PlannedDemand', ...strict },
)
export type PlannedDemand = Type.Static<typeof PlannedDemand>

export const Role = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    principals: Type.Array(Type.String()),
    ssh: Nullable(RoleSsh),
    builtIn: Type.Boolean(),
    permissions: Type.Array(HeldPermission),
    attributes: Attributes,
    requires: RequiredOfHolders,
    requiresNext: Nullable(PlannedDemand),
  },
  { title: 'Role' },
)
export type Role = Type.Static<typeof Role>

export const PermissionEntry = Type.Object(
  { id: PermissionName, name: Type.String(), description: Type.String() },
  { title: 'Permission' },
)

export interface NewRole {
  name: string
  description?: string
  principals?: string[]
  ssh?: RoleSsh | null
  permissions?: Permission[]
  attributes?: Attributes
  requires?: RoleDemand
}

/** Whether SSH certificates depend on what a role gives. A certificate may name an attribute. */
export function certificatesDependOn({ principals, permissions, ssh, attributes }: Role): boolean {
  const { sudo, customExtensions } = giftsOf(ssh)
  return (
    principals.length > 0 ||
    permissions.includes('ssh:cert:issue') ||
    sudo !== 'none' ||
    customExtensions.length > 0 ||
    Object.keys(attributes).length > 0
  )
}
