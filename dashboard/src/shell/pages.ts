import { lazyRouteComponent, type LinkProps, type RouteComponent } from '@tanstack/react-router'
import { readAuditSearch } from '../admin/audit/audit-search.ts'
import { readCertificatesSearch } from '../admin/certificates/certificates-search.ts'
import {
  readClientSearch,
  readClientsSearch,
  readNewClientSearch,
  clientQuery,
} from '../admin/clients/clients-query.ts'
import { hostQuery } from '../admin/hosts/hosts-query.ts'
import { readPersonSearch, userQuery, readUsersSearch } from '../admin/users/user-queries.ts'
import { readWebhookSearch } from '../admin/webhooks/webhook-queries.ts'
import type { PermissionName } from '../api/shapes.ts'
import { appsQuery } from '../home/apps-query.ts'
import { paths } from '../paths.ts'
import { queryClient } from '../session/query-client.ts'
import { readSshSearch } from '../ssh/ssh-queries.ts'
import type { Texts } from '../texts/load-texts.ts'
import type { IconName } from '../ui/Icon.tsx'

type Label = keyof {
  [Name in keyof Texts['account']['nav'] as Texts['account']['nav'][Name] extends string ? Name : never]: 0
}

/** The link to a page in the navigation, and in the search over everything. */
type PageLink = {
  group: 'yours' | 'ssh' | 'admin'
  label: Label
  icon: IconName
  /** Whether the pages below it have links of their own. */
  exact?: boolean
  /** For a page that is useful with any of these. */
  anyOf?: readonly PermissionName[]
}

export type Page<Path extends string = string, Search = unknown> = {
  path: Path
  /** Without it everybody who is signed in may see the page. */
  permission?: PermissionName
  /** Which it needs besides. */
  also?: PermissionName
  link?: PageLink
  /** Reads the query of its address. */
  readSearch?: (query: Record<string, unknown>) => Search
  /** Requests what the page shows at the same time as its script; the page itself shows a failure. */
  load?: (params: Record<string, string>) => void
  component: RouteComponent
}

const page = <const Path extends string, Search = object>(about: Page<Path, Search>): Page<Path, Search> => about

/** Every page of the signed-in part: the router, the navigation, the search and the accessibility tests are made from it. */
export const pages = [
  page({
    path: paths.home,
    link: { group: 'yours', label: 'home', icon: 'home', exact: true },
    load: () => void queryClient.prefetchQuery(appsQuery),
    component: lazyRouteComponent(() => import('../home/HomePage.tsx'), 'HomePage'),
  }),
  page({
    path: paths.account,
    link: { group: 'yours', label: 'profile', icon: 'user', exact: true },
    component: lazyRouteComponent(() => import('../account/ProfilePage.tsx'), 'ProfilePage'),
  }),
  page({
    path: paths.security,
    link: { group: 'yours', label: 'security', icon: 'shield' },
    component: lazyRouteComponent(() => import('../account/SecurityPage.tsx'), 'SecurityPage'),
  }),
  page({
    path: paths.password,
    link: { group: 'yours', label: 'password', icon: 'lock' },
    component: lazyRouteComponent(() => import('../account/PasswordPage.tsx'), 'PasswordPage'),
  }),
  page({
    path: paths.passkeys,
    link: { group: 'yours', label: 'passkeys', icon: 'fingerprint' },
    component: lazyRouteComponent(() => import('../account/PasskeysPage.tsx'), 'PasskeysPage'),
  }),
  page({
    path: paths.sessions,
    link: { group: 'yours', label: 'sessions', icon: 'laptop' },
    component: lazyRouteComponent(() => import('../account/SessionsPage.tsx'), 'SessionsPage'),
  }),
  page({
    path: paths.applications,
    link: { group: 'yours', label: 'applications', icon: 'apps' },
    component: lazyRouteComponent(() => import('../account/ApplicationsPage.tsx'), 'ApplicationsPage'),
  }),
  page({
    path: paths.appPasswords,
    link: { group: 'yours', label: 'appPasswords', icon: 'key' },
    component: lazyRouteComponent(() => import('../account/AppPasswordsPage.tsx'), 'AppPasswordsPage'),
  }),
  page({
    path: paths.notifications,
    link: { group: 'yours', label: 'notifications', icon: 'bell' },
    component: lazyRouteComponent(() => import('../notifications/NotificationsPage.tsx'), 'NotificationsPage'),
  }),
  page({
    path: paths.ssh,
    link: { group: 'ssh', label: 'sshKeys', icon: 'terminal', anyOf: ['ssh:keys:manage', 'ssh:cert:issue'] },
    readSearch: readSshSearch,
    component: lazyRouteComponent(() => import('../ssh/SshPage.tsx'), 'SshPage'),
  }),
  page({
    path: paths.admin,
    permission: 'users:read',
    link: { group: 'admin', label: 'overview', icon: 'activity', exact: true },
    component: lazyRouteComponent(() => import('../admin/overview/OverviewPage.tsx'), 'OverviewPage'),
  }),
  page({
    path: paths.adminUsers,
    permission: 'users:read',
    link: { group: 'admin', label: 'users', icon: 'users' },
    readSearch: readUsersSearch,
    component: lazyRouteComponent(() => import('../admin/users/UsersPage.tsx'), 'UsersPage'),
  }),
  page({
    path: paths.adminUser,
    permission: 'users:read',
    readSearch: readPersonSearch,
    load: ({ userId = '' }) => void queryClient.prefetchQuery(userQuery(userId)),
    component: lazyRouteComponent(() => import('../admin/person/PersonPage.tsx'), 'PersonPage'),
  }),
  page({
    path: paths.adminRoles,
    permission: 'roles:read',
    link: { group: 'admin', label: 'roles', icon: 'shield' },
    component: lazyRouteComponent(() => import('../admin/roles/RolesPage.tsx'), 'RolesPage'),
  }),
  page({
    path: paths.adminClients,
    permission: 'oauth_clients:read',
    link: { group: 'admin', label: 'clients', icon: 'apps' },
    readSearch: readClientsSearch,
    component: lazyRouteComponent(() => import('../admin/clients/ClientsPage.tsx'), 'ClientsPage'),
  }),
  page({
    path: paths.adminNewClient,
    permission: 'oauth_clients:write',
    readSearch: readNewClientSearch,
    component: lazyRouteComponent(() => import('../admin/clients/NewClientPage.tsx'), 'NewClientPage'),
  }),
  page({
    path: paths.adminNewSite,
    permission: 'oauth_clients:write',
    component: lazyRouteComponent(() => import('../admin/sites/NewSitePage.tsx'), 'NewSitePage'),
  }),
  page({
    path: paths.adminClient,
    permission: 'oauth_clients:read',
    readSearch: readClientSearch,
    load: ({ clientId = '' }) => void queryClient.prefetchQuery(clientQuery(clientId)),
    component: lazyRouteComponent(() => import('../admin/clients/ClientPage.tsx'), 'ClientPage'),
  }),
  page({
    path: paths.adminTrial,
    permission: 'oauth_clients:read',
    component: lazyRouteComponent(() => import('../admin/clients/TrialPage.tsx'), 'TrialPage'),
  }),
  page({
    path: paths.adminHosts,
    permission: 'ssh:hosts:manage',
    link: { group: 'admin', label: 'hosts', icon: 'server' },
    component: lazyRouteComponent(() => import('../admin/hosts/HostsPage.tsx'), 'HostsPage'),
  }),
  page({
    path: paths.adminHost,
    permission: 'ssh:hosts:manage',
    load: ({ hostId = '' }) => void queryClient.prefetchQuery(hostQuery(hostId)),
    component: lazyRouteComponent(() => import('../admin/hosts/HostPage.tsx'), 'HostPage'),
  }),
  page({
    path: paths.adminCertificates,
    permission: 'ssh:cert:list',
    link: { group: 'admin', label: 'certificates', icon: 'certificate' },
    readSearch: readCertificatesSearch,
    component: lazyRouteComponent(() => import('../admin/certificates/CertificatesPage.tsx'), 'CertificatesPage'),
  }),
  page({
    path: paths.adminAudit,
    permission: 'audit:read',
    link: { group: 'admin', label: 'audit', icon: 'list' },
    readSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('../admin/audit/AuditPage.tsx'), 'AuditPage'),
  }),
  page({
    path: paths.adminWebhooks,
    permission: 'webhooks:manage',
    also: 'audit:read',
    component: lazyRouteComponent(() => import('../admin/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  }),
  page({
    path: paths.adminWebhook,
    permission: 'webhooks:manage',
    also: 'audit:read',
    readSearch: readWebhookSearch,
    component: lazyRouteComponent(() => import('../admin/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  }),
  page({
    path: paths.adminSettings,
    permission: 'settings:manage',
    link: { group: 'admin', label: 'settings', icon: 'settings' },
    component: lazyRouteComponent(() => import('../admin/settings/SettingsPage.tsx'), 'SettingsPage'),
  }),
] as const

export type NavigationItem = PageLink & { to: Exclude<LinkProps['to'], undefined> }

/** The links that somebody with these permissions can use, by group. A group without any is left out. */
export function visibleNavigation(
  may: (permission: PermissionName) => boolean,
): { label: PageLink['group']; items: NavigationItem[] }[] {
  const items = pages.flatMap(({ path, permission, link }: Page<(typeof pages)[number]['path']>) => {
    const isVisible = link?.anyOf ? link.anyOf.some(may) : permission === undefined || may(permission)
    return link && isVisible ? [{ ...link, to: path }] : []
  })
  return (['yours', 'ssh', 'admin'] as const)
    .map((label) => ({ label, items: items.filter(({ group }) => group === label) }))
    .filter(({ items: shown }) => shown.length > 0)
}
