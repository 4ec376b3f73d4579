import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { readTab } from '../../lib/read-tab.ts'

const CLIENT_TABS = ['connect', 'access', 'claims', 'signIn', 'signOut', 'appearance', 'diagnosis', 'try'] as const
export type ClientTab = (typeof CLIENT_TABS)[number]

/** Of an application behind a proxy, whose page has the same address. */
const SITE_TABS = ['proxy', 'access', 'rules', 'site', 'refusals'] as const
export type SiteTab = (typeof SITE_TABS)[number]

export const readClientSearch = readTab([...CLIENT_TABS, ...SITE_TABS])

/** What was searched for, so that a link or a reload leads to it. */
export const readClientsSearch = ({ q }: Record<string, unknown>): { q?: string } =>
  (typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {}

/** Which entry of the catalogue was chosen. */
export const readNewClientSearch = ({ entry }: Record<string, unknown>): { entry?: string } =>
  typeof entry === 'string' ? { entry } : {}

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

/** Whether it takes what it is told. */
export const tellingQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, clientId, 'telling'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/telling', { params: { path: { clientId } } })),
  })

export const clientQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, clientId],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}', { params: { path: { clientId } } })),
  })
