import { infiniteQueryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { type AuditSearch, toAuditQuery } from './audit-search.ts'

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', search],
    queryFn: async ({ pageParam }) => {
      const query = { ...toAuditQuery(search), ...(pageParam ? { cursor: pageParam } : {}) }
      const page = await answer(api.GET('/api/admin/audit', { params: { query } }))
      // The endpoint returns text only when CSV is requested.
      if (typeof page === 'string') throw new TypeError('The audit trail came as text.')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })
