import type { LinkProps } from '@tanstack/react-router'
import type { PermissionName } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import type { Texts } from '../texts/load-texts.ts'
import type { IconName } from '../ui/Icon.tsx'
import { permissionOf } from './page-permissions.ts'

type Label = keyof {
  [Name in keyof Texts['account']['nav'] as Texts['account']['nav'][Name] extends string ? Name : never]: 0
}
export type Item = {
  to: Exclude<LinkProps['to'], undefined>
  icon: IconName
  label: Label
  /** For a page that is useful with any of these. Other pages need what `permissionOf` returns. */
  anyOf?: PermissionName[]
  exact?: boolean
}
export type Group = { label: Label; items: Item[] }

const navigation: Group[] = [
  {
    label: 'yours',
    items: [
      { to: paths.home, icon: 'home', label: 'home', exact: true },
      { to: paths.account, icon: 'user', label: 'profile', exact: true },
      { to: paths.password, icon: 'lock', label: 'password' },
      { to: paths.passkeys, icon: 'fingerprint', label: 'passkeys' },
      { to: paths.sessions, icon: 'laptop', label: 'sessions' },
      { to: paths.applications, icon: 'apps', label: 'applications' },
      { to: paths.notifications, icon: 'bell', label: 'notifications' },
    ],
  },
  {
    label: 'ssh',
    items: [{ to: paths.ssh, icon: 'terminal', label: 'sshKeys', anyOf: ['ssh:keys:manage', 'ssh:cert:issue'] }],
  },
  {
    label: 'admin',
    items: [
      { to: paths.admin, icon: 'activity', label: 'overview', exact: true },
      { to: paths.adminUsers, icon: 'users', label: 'users' },
      { to: paths.adminRoles, icon: 'shield', label: 'roles' },
      { to: paths.adminClients, icon: 'apps', label: 'clients' },
      { to: paths.adminHosts, icon: 'server', label: 'hosts' },
      { to: paths.adminCertificates, icon: 'certificate', label: 'certificates' },
      { to: paths.adminAudit, icon: 'list', label: 'audit' },
      { to: paths.adminSettings, icon: 'settings', label: 'settings' },
    ],
  },
]

/** The links that somebody with these permissions can use. A group without any is left out. */
export function visibleNavigation(may: (permission: PermissionName) => boolean): Group[] {
  const isVisible = ({ to, anyOf }: Item) => {
    const permission = permissionOf(to)
    return anyOf ? anyOf.some(may) : permission === undefined || may(permission)
  }
  return navigation
    .map(({ label, items }) => ({ label, items: items.filter(isVisible) }))
    .filter(({ items }) => items.length > 0)
}
