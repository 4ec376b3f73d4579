import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { readTab } from '../../lib/read-tab.ts'
import { isOutage, OUTAGE_PAUSE_MS } from '../../session/query-client.ts'
import { nextReading } from '../receivers/open-receipt.ts'

export const STATUSES = ['active', 'invited', 'scheduled', 'disabled'] as const
export const LACKS = ['passkey', 'passkey_and_second_step'] as const
export const SORTS = ['-createdAt', 'createdAt', 'email', '-email', '-lastLoginAt', 'lastLoginAt'] as const

const DIALOGS = ['create', 'import'] as const

/** The filter of the list, as it is in the address, so that a link or a reload leads to the same people. */
export type UsersSearch = {
  q?: string
  status?: (typeof STATUSES)[number]
  role?: string
  lacks?: (typeof LACKS)[number]
  sort?: (typeof SORTS)[number]
  /** A dialog that is open. */
  open?: (typeof DIALOGS)[number]
}

export function readUsersSearch({ q, status, role, lacks, sort, open }: Record<string, unknown>): UsersSearch {
  const knownStatus = STATUSES.find((each) => each === status)
  const knownLack = LACKS.find((each) => each === lacks)
  const knownSort = SORTS.find((each) => each === sort)
  const knownDialog = DIALOGS.find((each) => each === open)
  return {
    ...(isText(q) ? { q: String(q) } : {}),
    ...(knownStatus ? { status: knownStatus } : {}),
    ...(typeof role === 'string' && role !== '' ? { role } : {}),
    ...(knownLack ? { lacks: knownLack } : {}),
    ...(knownSort ? { sort: knownSort } : {}),
    ...(knownDialog ? { open: knownDialog } : {}),
  }
}

/** A text of digits only comes out of the address as a number. */
const isText = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number'

export const usersQuery = (search: Omit<UsersSearch, 'open'>) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'users', search],
    queryFn: async ({ pageParam }) => {
      const query = { ...search, ...(pageParam ? { cursor: pageParam } : {}) }
      const page = await answer(api.GET('/api/admin/users', { params: { query } }))
      // The endpoint returns text only when CSV is requested.
      if (typeof page === 'string') throw new TypeError('The users came as text.')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })

export const userQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}', { params: { path: { userId } } })),
  })

export const lifecycleQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'lifecycle'],
    queryFn: () => {
      const params = { path: { userId }, query: { limit: 200 } }
      return answer(api.GET('/api/admin/users/{userId}/lifecycle', { params }))
    },
    // It stops while the page is hidden.
    refetchInterval: ({ state }) =>
      isOutage(state.error) ? OUTAGE_PAUSE_MS : nextReading(state.data?.actions ?? [], Date.now()),
  })

export const accessQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'access'],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}/access', { params: { path: { userId } } })),
  })

/** The applications that somebody may use, and why. */
export const userAppsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'apps'],
    queryFn: () => answer(api.GET('/api/admin/users/{userId}/apps', { params: { path: { userId } } })),
  })

/** All roles, whatever their number: who chooses one must find each. */
export const rolesQuery = queryOptions({
  queryKey: ['admin', 'roles'],
  queryFn: async () => {
    const roles: Role[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { limit: 200, ...(cursor ? { cursor } : {}) }
      const page: { roles: Role[]; nextCursor: string | null } = await answer(
        api.GET('/api/admin/roles', { params: { query } }),
      )
      roles.push(...page.roles)
      cursor = page.nextCursor
    }
    return { roles }
  },
})

/** Counted again at each use: somebody may have signed in a moment ago. */
export const previewQuery = (userId: string) =>
  queryOptions({
    queryKey: ['admin', 'users', userId, 'preview'],
    queryFn: () =>
      answer(
        api.POST('/api/admin/users/{userId}/lifecycle/preview', {
          params: { path: { userId } },
          body: { action: 'disable' },
        }),
      ),
    staleTime: 0,
  })

const PERSON_TABS = ['overview', 'access', 'devices', 'applications', 'ssh', 'activity'] as const
export type PersonTab = (typeof PERSON_TABS)[number]

export const readPersonSearch = readTab(PERSON_TABS)
