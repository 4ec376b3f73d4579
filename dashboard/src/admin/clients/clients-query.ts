import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

/** Of every list of applications, and of each one. */
export const CLIENTS_KEY = ['admin', 'clients']

export const clientsQuery = (search: { q?: string }) =>
  infiniteQueryOptions({
    queryKey: [...CLIENTS_KEY, search],
    queryFn: ({ pageParam }) => {
      const query = { ...search, ...(pageParam ? { cursor: pageParam } : {}) }
      return answer(api.GET('/oauth/clients', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })

export const clientQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, clientId],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}', { params: { path: { clientId } } })),
  })
