import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { isOutage, OUTAGE_PAUSE_MS } from '../../session/query-client.ts'

/** Of every list of webhooks, and of each one. */
export const WEBHOOKS_KEY = ['admin', 'webhooks']

/** Attempts are made all the time. */
const REFRESH_MS = 15_000

export const webhooksQuery = infiniteQueryOptions({
  queryKey: WEBHOOKS_KEY,
  queryFn: ({ pageParam }) =>
    answer(api.GET('/api/admin/webhooks', { params: { query: pageParam ? { cursor: pageParam } : {} } })),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
  refetchInterval: REFRESH_MS,
})

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, id],
    queryFn: () => answer(api.GET('/api/admin/webhooks/{id}', { params: { path: { id } } })),
    refetchInterval: 5000,
  })

/** The number of the delivery that is looked for, in the address. */
export type WebhookSearch = { sequence?: number }

export function readWebhookSearch({ sequence }: Record<string, unknown>): WebhookSearch {
  const number = Number(sequence)
  return Number.isSafeInteger(number) && number > 0 ? { sequence: number } : {}
}

export const deliveriesQuery = (id: string, search: WebhookSearch) =>
  infiniteQueryOptions({
    queryKey: [...WEBHOOKS_KEY, id, 'deliveries', search],
    queryFn: ({ pageParam }) => {
      const query = { ...search, ...(pageParam ? { cursor: pageParam } : {}) }
      return answer(api.GET('/api/admin/webhooks/{id}/deliveries', { params: { path: { id }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
    // Often while something is under way. It stops while the page is hidden.
    refetchInterval: ({ state: { data, error } }) => {
      if (isOutage(error)) return OUTAGE_PAUSE_MS
      return data?.pages[0]?.deliveries.some(({ state }) => state === 'waiting') ? 2000 : REFRESH_MS
    },
  })
