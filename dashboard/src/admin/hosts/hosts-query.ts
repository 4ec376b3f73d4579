import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { SESSIONS_REFRESH_MS } from '../../ssh/ssh-sessions-query.ts'

/** Read again now and then: hosts report every minute. */
const REFRESH_MS = 15_000

/** Of everything about hosts. */
export const HOSTS_KEY = ['admin', 'hosts']

export const hostsQuery = infiniteQueryOptions({
  queryKey: [...HOSTS_KEY, 'list'],
  queryFn: ({ pageParam }) =>
    answer(api.GET('/api/ssh/hosts', { params: { query: pageParam ? { cursor: pageParam } : {} } })),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
  refetchInterval: REFRESH_MS,
})

/** A host, and who is there. */
export const hostQuery = (id: string) =>
  queryOptions({
    queryKey: [...HOSTS_KEY, id],
    queryFn: () => answer(api.GET('/api/ssh/hosts/{id}', { params: { path: { id } } })),
    refetchInterval: SESSIONS_REFRESH_MS,
  })
