import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

export type Status = 'all' | 'active' | 'disabled'

export const usersQuery = (q: string, status: Status) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'users', { q, status }],
    queryFn: ({ pageParam }) => {
      const query = {
        ...(q ? { q } : {}),
        ...(status === 'all' ? {} : { status }),
        ...(pageParam ? { cursor: pageParam } : {}),
      }
      return answer(api.GET('/api/admin/users', { params: { query } }))
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

export const rolesQuery = queryOptions({
  queryKey: ['admin', 'roles'],
  queryFn: () => answer(api.GET('/api/admin/roles')),
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
