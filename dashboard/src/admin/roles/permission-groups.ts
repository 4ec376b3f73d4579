import type { PermissionName } from '../../api/shapes.ts'
import type { Texts } from '../../texts/load-texts.ts'

export type PermissionGroup = keyof Texts['people']['permissions']['groups']

const GROUP_OF_PREFIX: Record<string, PermissionGroup> = {
  users: 'people',
  roles: 'roles',
  permissions: 'roles',
  oauth_clients: 'applications',
  ssh: 'ssh',
}
const GROUPS: readonly PermissionGroup[] = ['people', 'roles', 'applications', 'ssh', 'service']

const groupOf = (permission: string): PermissionGroup => GROUP_OF_PREFIX[permission.split(':')[0] ?? ''] ?? 'service'

/** Permissions by what they are about. Groups without any are left out. */
export const groupPermissions = <Item extends { id: string }>(
  permissions: readonly Item[],
): { group: PermissionGroup; items: Item[] }[] =>
  GROUPS.map((group) => ({ group, items: permissions.filter(({ id }) => groupOf(id) === group) })).filter(
    ({ items }) => items.length > 0,
  )

/** What people do with their own keys. Every other permission is about other people or the service. */
const OWN: readonly string[] = ['ssh:keys:manage', 'ssh:cert:issue'] satisfies PermissionName[]

/** The permissions with which somebody administers. Unknown ones of another version count as such. */
export const administering = (permissions: readonly string[]): string[] =>
  permissions.filter((permission) => !OWN.includes(permission))
