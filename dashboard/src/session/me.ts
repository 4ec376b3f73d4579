import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import type { Me, PermissionName } from '../api/shapes.ts'

/** Who is signed in, and what they may do. The shell waits for it, so pages can rely on it. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answer(api.GET('/api/auth/me')),
  staleTime: 60_000,
})

export const useMe = (): Me => useSuspenseQuery(meQuery).data

export function useMay(): (permission: PermissionName) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission)
}
