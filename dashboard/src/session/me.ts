import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import type { Me, PermissionName } from '../api/shapes.ts'
import { leaveForStepUp } from './leave-for-step-up.ts'
import { setSessionState } from './session-state.ts'

/** Who is signed in, and what they may do. The shell waits for it, so pages can rely on it. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    const me = await answer(api.GET('/api/auth/me'))
    if (!actAs(me.user.id)) setSessionState('other-user')
    // Nothing else of the signed-in part answers before that.
    if (me.mustSetUp || me.mustProve) return leaveForStepUp()
    return me
  },
  staleTime: 60_000,
})

export const useMe = (): Me => useSuspenseQuery(meQuery).data

export function useMay(): (permission: PermissionName) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission)
}
