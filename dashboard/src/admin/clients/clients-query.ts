import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

export const clientsQuery = infiniteQueryOptions({
  queryKey: ['admin', 'clients'],
  queryFn: ({ pageParam }) =>
    answer(api.GET('/oauth/clients', { params: { query: pageParam ? { cursor: pageParam } : {} } })),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
})

export const clientQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['admin', 'clients', clientId],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}', { params: { path: { clientId } } })),
  })
