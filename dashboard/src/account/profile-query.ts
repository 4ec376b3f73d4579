import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { meQuery } from '../session/me.ts'

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => answer(api.GET('/api/account/profile')),
})

/** The shell shows the name and picture too, so both queries are loaded again. */
export function useReloadProfile(): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    Promise.all([profileQuery, meQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey: [...queryKey] })))
}
