import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import type { UsersSearch } from './users-search.ts'

export const usersQuery = (search: Omit<UsersSearch, 'open'>) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'users', search],
    queryFn: async ({ pageParam }) => {
      const query = { ...search, ...(pageParam ? { cursor: pageParam } : {}) }
      const page = await answer(api.GET('/api/admin/users', { params: { query } }))
      // The endpoint returns text only when CSV is requested.
      if (typeof page === 'string') throw new TypeError('The users came as text.')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })

export const userQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}', { params: { path: { userId } } })),
  })

export const lifecycleQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'lifecycle'],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}/lifecycle', { params: { path: { userId } } })),
  })

export const accessQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'access'],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}/access', { params: { path: { userId } } })),
  })

/** The applications that somebody may use, and why. */
export const userAppsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'apps'],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}/apps', { params: { path: { userId } } })),
  })

/** All roles, whatever their number: who chooses one must find each. */
export const rolesQuery = queryOptions({
  queryKey: ['admin', 'roles'],
  queryFn: async () => {
    const roles: Role[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { limit: 200, ...(cursor ? { cursor } : {}) }
      const page: { roles: Role[]; nextCursor: string | null } = await answer(
        api.GET('/api/admin/roles', { params: { query } }),
      )
      roles.push(...page.roles)
      cursor = page.nextCursor
    }
    return { roles }
  },
})

/** Counted again at each use: somebody may have signed in a moment ago. */
export const previewQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'preview'],
    queryFn: () =>
      answer(
        api.POST('/api/admin/users/{userId}/lifecycle/preview', {
          params: { path: { userId } },
          body: { action: 'disable' },
        }),
      ),
    staleTime: 0,
  })
