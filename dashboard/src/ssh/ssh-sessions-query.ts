import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'

/** Read again now and then: hosts report what changes within seconds. */
export const SESSIONS_REFRESH_MS = 5_000

export const ownSshSessionsQuery = queryOptions({
  queryKey: ['ssh', 'sessions'],
  queryFn: () => answer(api.GET('/api/ssh/my-sessions')),
  refetchInterval: SESSIONS_REFRESH_MS,
})
