import { infiniteQueryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

/** Read again now and then: hosts report every minute. */
const REFRESH_MS = 15_000

export const hostsQuery = infiniteQueryOptions({
  queryKey: ['admin', 'hosts'],
  queryFn: ({ pageParam }) =>
    answer(api.GET('/api/ssh/hosts', { params: { query: pageParam ? { cursor: pageParam } : {} } })),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
  refetchInterval: REFRESH_MS,
})
