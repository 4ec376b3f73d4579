import { infiniteQueryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { AuditEntry } from '../../api/shapes.ts'

export type AuditFilter = { action: string; actor: string; outcome: '' | AuditEntry['outcome'] }

/** Only what is filled in: an empty filter would match nothing instead of everything. */
export const filled = ({ action, actor, outcome }: AuditFilter) => ({
  ...(action ? { action } : {}),
  ...(actor ? { actor } : {}),
  ...(outcome ? { outcome } : {}),
})

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', filter],
    queryFn: async ({ pageParam }) => {
      const query = { ...filled(filter), ...(pageParam ? { cursor: pageParam } : {}) }
      const page = await answer(api.GET('/api/admin/audit', { params: { query } }))
      // The endpoint returns text only when CSV is requested.
      if (typeof page === 'string') throw new TypeError('The audit trail came as text.')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })
