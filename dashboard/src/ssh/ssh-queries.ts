import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { readTab } from '../lib/read-tab.ts'

const SSH_TABS = ['certificates', 'keys', 'sessions', 'machine', 'hosts'] as const
export type SshTab = (typeof SSH_TABS)[number]

export const readSshSearch = readTab(SSH_TABS)

export const keysQuery = queryOptions({ queryKey: ['ssh', 'keys'], queryFn: () => answer(api.GET('/api/ssh/keys')) })

export const principalsQuery = queryOptions({
  queryKey: ['ssh', 'principals'],
  queryFn: () => answer(api.GET('/api/ssh/principals')),
})

export const ownCertificatesQuery = infiniteQueryOptions({
  queryKey: ['ssh', 'certificates'],
  queryFn: ({ pageParam }) =>
    answer(
      api.GET('/api/ssh/certs/mine', { params: { query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) } } }),
    ),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
})
