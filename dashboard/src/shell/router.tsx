import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readAuditSearch } from '../admin/audit/audit-search.ts'
import { readCertificatesSearch } from '../admin/certificates/certificates-search.ts'
import { readClientSearch, readClientsSearch, readNewClientSearch } from '../admin/clients/client-search.ts'
import { clientQuery } from '../admin/clients/clients-query.ts'
import { readPersonSearch } from '../admin/person/person-search.ts'
import { userQuery } from '../admin/users/user-queries.ts'
import { readUsersSearch } from '../admin/users/users-search.ts'
import type { PermissionName } from '../api/shapes.ts'
import { appsQuery } from '../home/apps-query.ts'
import { paths } from '../paths.ts'
import { meQuery } from '../session/me.ts'
import { queryClient } from '../session/query-client.ts'
import { readSshSearch } from '../ssh/ssh-search.ts'
import { NotFoundPage, RouteFailure, ShellSkeleton } from './other-pages.tsx'
import { pagePermissions } from './page-permissions.ts'
import { Shell } from './Shell.tsx'

const root = createRootRoute({
  // Not beforeLoad: the script of the page is loaded at the same time.
  loader: () => queryClient.ensureQueryData(meQuery),
  component: Shell,
  pendingComponent: ShellSkeleton,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteFailure,
})

const getParentRoute = () => root

const needed = (path: keyof typeof pagePermissions) => ({ permission: pagePermissions[path] })

// A loader requests what a page shows at the same time as its script; the page itself shows a failure.
const routeTree = root.addChildren([
  createRoute({
    getParentRoute,
    path: paths.home,
    loader: () => void queryClient.prefetchQuery(appsQuery),
    component: lazyRouteComponent(() => import('../home/HomePage.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.account,
    component: lazyRouteComponent(() => import('../account/ProfilePage.tsx'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.password,
    component: lazyRouteComponent(() => import('../account/PasswordPage.tsx'), 'PasswordPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.passkeys,
    component: lazyRouteComponent(() => import('../account/PasskeysPage.tsx'), 'PasskeysPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.sessions,
    component: lazyRouteComponent(() => import('../account/SessionsPage.tsx'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.applications,
    component: lazyRouteComponent(() => import('../account/ApplicationsPage.tsx'), 'ApplicationsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.appPasswords,
    component: lazyRouteComponent(() => import('../account/AppPasswordsPage.tsx'), 'AppPasswordsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.notifications,
    component: lazyRouteComponent(() => import('../notifications/NotificationsPage.tsx'), 'NotificationsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.ssh,
    validateSearch: readSshSearch,
    component: lazyRouteComponent(() => import('../ssh/SshPage.tsx'), 'SshPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.admin,
    staticData: needed(paths.admin),
    component: lazyRouteComponent(() => import('../admin/overview/OverviewPage.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminAudit,
    staticData: needed(paths.adminAudit),
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('../admin/audit/AuditPage.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminUsers,
    staticData: needed(paths.adminUsers),
    validateSearch: readUsersSearch,
    component: lazyRouteComponent(() => import('../admin/users/UsersPage.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminUser,
    staticData: needed(paths.adminUser),
    validateSearch: readPersonSearch,
    loader: ({ params }) => void queryClient.prefetchQuery(userQuery(params.userId)),
    component: lazyRouteComponent(() => import('../admin/person/PersonPage.tsx'), 'PersonPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminRoles,
    staticData: needed(paths.adminRoles),
    component: lazyRouteComponent(() => import('../admin/roles/RolesPage.tsx'), 'RolesPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminClients,
    staticData: needed(paths.adminClients),
    validateSearch: readClientsSearch,
    component: lazyRouteComponent(() => import('../admin/clients/ClientsPage.tsx'), 'ClientsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminNewClient,
    staticData: needed(paths.adminNewClient),
    validateSearch: readNewClientSearch,
    component: lazyRouteComponent(() => import('../admin/clients/NewClientPage.tsx'), 'NewClientPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminNewSite,
    staticData: needed(paths.adminNewSite),
    component: lazyRouteComponent(() => import('../admin/sites/NewSitePage.tsx'), 'NewSitePage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminClient,
    staticData: needed(paths.adminClient),
    validateSearch: readClientSearch,
    loader: ({ params }) => void queryClient.prefetchQuery(clientQuery(params.clientId)),
    component: lazyRouteComponent(() => import('../admin/clients/ClientPage.tsx'), 'ClientPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminTrial,
    staticData: needed(paths.adminTrial),
    component: lazyRouteComponent(() => import('../admin/clients/TrialPage.tsx'), 'TrialPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminSettings,
    staticData: needed(paths.adminSettings),
    component: lazyRouteComponent(() => import('../admin/settings/SettingsPage.tsx'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminHosts,
    staticData: needed(paths.adminHosts),
    component: lazyRouteComponent(() => import('../admin/hosts/HostsPage.tsx'), 'HostsPage'),
  }),
  createRoute({
    getParentRoute,
    path: paths.adminCertificates,
    staticData: needed(paths.adminCertificates),
    validateSearch: readCertificatesSearch,
    component: lazyRouteComponent(() => import('../admin/certificates/CertificatesPage.tsx'), 'CertificatesPage'),
  }),
])

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The permission that the page needs. */
    permission?: PermissionName
  }
}
