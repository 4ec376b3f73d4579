import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import type { PermissionName } from '../api/shapes.ts'
import { meQuery } from '../session/me.ts'
import { queryClient } from '../session/query-client.ts'
import { NotFoundPage, RouteFailure, ShellSkeleton } from './other-pages.tsx'
import { type Page, pages } from './pages.ts'
import { Shell } from './Shell.tsx'

const root = createRootRoute({
  // Not beforeLoad: the script of the page is loaded at the same time.
  loader: () => queryClient.ensureQueryData(meQuery),
  component: Shell,
  pendingComponent: ShellSkeleton,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteFailure,
})

const routeOf = <const Path extends string, Search>({
  path,
  permission,
  also,
  readSearch,
  load,
  component,
}: Page<Path, Search>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData: { permissions: [permission, also].filter((each) => each !== undefined) },
    // A page that reads nothing of its query has none: the router would take the query out of its address.
    validateSearch: readSearch as (query: Record<string, unknown>) => Search,
    loader: ({ params }) => load?.(params),
    component,
  })

/** The router knows the path and the query of each page, so that a wrong link does not compile. */
type Routes<Pages> = {
  [At in keyof Pages]: Pages[At] extends Page<infer Path, infer Search>
    ? ReturnType<typeof routeOf<Path, Search>>
    : never
}

const routes = (pages as readonly Page[]).map(routeOf) as unknown as Routes<typeof pages>

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The permissions that the page needs. */
    permissions?: PermissionName[]
  }
}
